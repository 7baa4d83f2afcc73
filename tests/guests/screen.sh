# screen: sessions without a terminal, commands in windows, a copy of what they show
# packages: screen
# commands: screen

version() { screen --version | cut -d' ' -f1-3; }

prepare() {
    # the other file of settings would be the machine's
    printf 'startup_message off\nshell /bin/bash\nutf8 on\nautodetach on\n' >"$GUEST_DATA/rc"
}

workload() {
    export SCREENDIR=$GUEST_DATA/screens SYSSCREENRC=$GUEST_DATA/rc TERM=xterm PS1='$ '
    mkdir -m 700 "$SCREENDIR"
    screen -c "$GUEST_DATA/rc" -dmS guest bash --norc -i
    until screen -S guest -p 0 -Q number >/dev/null 2>&1; do sleep 0.1; done
    screen -S guest -p 0 -X stuff $'tty >/dev/null && echo a terminal >one; seq 300 | tail -n 3; echo $((6 * 7)) >two\n'
    until [ -s two ]; do sleep 0.1; done
    screen -S guest -X screen -t second sh -c 'trap "echo hung up >three; exit" HUP; echo started >four; while :; do sleep 0.1; done'
    until [ -s four ]; do sleep 0.1; done
    screen -ls | grep -c guest
    screen -S guest -p 0 -X stuff $'sleep 60\n'
    sleep 0.3
    screen -S guest -p 0 -X stuff $'\003echo interrupted >five\n'
    until [ -s five ]; do sleep 0.1; done
    screen -S guest -p 0 -X hardcopy "$GUEST_DATA/copy"
    for _ in {1..100}; do [ ! -s "$GUEST_DATA/copy" ] || break; sleep 0.1; done
    grep -cE '^(298|299|300)$' "$GUEST_DATA/copy"
    screen -S guest -Q windows | tr -s ' ' '\n' | grep -c second
    screen -S guest -X quit
    echo "quit $?"
    until [ -s three ]; do sleep 0.1; done
    while [ -n "$(ls -A "$SCREENDIR")" ]; do sleep 0.1; done
    screen -D -m -S waits sh -c 'exit 4'
    echo "status $?"
    screen -ls | grep -c guest
}
