# Xvfb and a message bus: a server that signals when it is ready, clients, a terminal, a session that ends
# packages: xvfb xauth xterm x11-utils dbus-daemon dbus-bin
# commands: Xvfb xauth xterm xdpyinfo dbus-run-session dbus-send

version() { echo "$(xterm -version), $(dbus-daemon --version | head -n 1)"; }

workload() {
    local server number
    exec 7>"$GUEST_DATA/display"
    Xvfb -displayfd 7 -screen 0 800x600x24 -nolisten tcp -noreset >"$GUEST_DATA/log" 2>&1 &
    server=$!
    exec 7>&-
    until [ -s "$GUEST_DATA/display" ]; do sleep 0.1; done
    DISPLAY=:$(cat "$GUEST_DATA/display")
    export DISPLAY
    xdpyinfo | grep -E 'dimensions|number of screens'
    for number in 1 2 3; do
        xterm -e sh -c "tty >/dev/null && echo terminal >term$number; sleep 0.2; exit 3" 2>/dev/null
        echo "xterm $?"
    done
    cat term*
    xterm -T guest -e sleep 60 2>/dev/null &
    until xwininfo -name guest >/dev/null 2>&1; do sleep 0.1; done
    xwininfo -name guest | grep -cE 'Map State: IsViewable'
    xkill -display "$DISPLAY" -id "$(xwininfo -name guest | awk '/Window id/ { print $4 }')" >/dev/null 2>&1
    wait $!
    echo "xterm killed $?"
    kill "$server"
    wait "$server"
    echo "Xvfb ended with $?"
    dbus-run-session -- sh -c '
        dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames | grep -c string
        timeout 1 dbus-monitor --session "path=/guest" >seen 2>/dev/null & sleep 0.4
        dbus-send --session --type=signal /guest org.guest.Signal string:words; wait; grep -c words seen; rm seen; exit 4' 2>/dev/null
    echo "session $?"
}
