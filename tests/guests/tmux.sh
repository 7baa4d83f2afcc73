# tmux: a server, windows, panes, hooks, a client in a pseudo-terminal
# packages: tmux util-linux
# commands: tmux script

version() { tmux -V; }

workload() {
    local tmux
    export TERM=xterm PS1='$ ' TMUX_TMPDIR=$GUEST_DATA
    printf 'set -g default-command "bash --norc --noprofile"\nset -g status off\nset -g remain-on-exit on\n' >"$GUEST_DATA/conf"
    tmux="tmux -L guest -f $GUEST_DATA/conf"
    $tmux new-session -d -s one -x 80 -y 24
    $tmux send-keys -t one 'seq 300 | tail -n 3; tty >/dev/null && echo a terminal >first' Enter
    until [ -s first ]; do sleep 0.1; done
    $tmux capture-pane -p -t one | grep -cE '^(298|299|300)$'
    $tmux split-window -t one 'echo in a pane >second; exit 3'
    until [ -s second ]; do sleep 0.1; done # tmux 3.3 itself misses the end of a pane now and then
    $tmux kill-pane -t one.1
    $tmux run-shell 'echo from run-shell >third; exit 0'
    $tmux if-shell 'test -s third' 'set -g @word yes' 'set -g @word no'
    $tmux display -p '#{@word}'
    $tmux pipe-pane -t one 'cat >piped'
    $tmux send-keys -t one 'echo $((6 * 7))' Enter
    until grep -q 42 piped 2>/dev/null; do sleep 0.1; done
    $tmux send-keys -t one 'sleep 60' Enter
    sleep 0.3
    $tmux send-keys -t one C-c
    $tmux send-keys -t one 'echo $? >interrupted' Enter
    until [ -s interrupted ]; do sleep 0.1; done
    cat interrupted
    rm -f piped
    (sleep 0.5; $tmux detach-client -s one) &
    script -q -e -c "$tmux attach -t one" "$GUEST_DATA/typescript" >/dev/null </dev/null
    echo "attached $?"
    wait $!
    $tmux wait-for -S channel
    $tmux wait-for channel
    $tmux list-windows -t one -F '#{window_index} #{window_panes}'
    $tmux kill-server
    echo "killed $?"
    $tmux ls 2>/dev/null
    echo "status $?"
}
