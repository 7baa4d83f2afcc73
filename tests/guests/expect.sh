# expect and tcl: pseudo-terminals, their signals, a dialogue, threads of the notifier
# packages: expect tcl
# commands: expect tclsh

version() { echo "$(expect -v | cut -d' ' -f1-3)"; }

prepare() {
    cat >dialogue.exp <<'EXPECT'
log_user 0
set timeout 60
spawn bash --norc --noprofile -i
send "PS1='ready> '\r"
expect -re {\nready> $}
send "stty -echo; tty >/dev/null && echo terminal\r"
expect -re {\nterminal} { puts "a terminal" }
expect "ready> "
for {set n 1} {$n <= 20} {incr n} {
    send "echo \$(($n * $n))\r"
    expect -re {(\d+)\r\n.*ready> $} { lappend squares $expect_out(1,string) }
}
puts $squares
send "sleep 60\r"
after 200
send "\003"
expect "ready> "
send "echo status \$?\r"
expect -re {status (\d+)} { puts "interrupted $expect_out(1,string)" }
expect "ready> "
send "sleep 60\r"
after 200
send "\032"
expect "Stopped"
expect "ready> "
send "kill %1; wait 2>/dev/null; stty rows 30 columns 90; stty size\r"
expect "30 90" { puts "size" }
expect "ready> "
send "exit 5\r"
expect eof
puts "status [lindex [wait] 3]"
spawn sh -c "trap 'echo hung up; exit 3' HUP; echo started; while :; do sleep 0.1; done"
expect "started"
exec kill -HUP [exp_pid]
expect "hung up" { puts "hung up" }
expect eof
puts "status [lindex [wait] 3]"
spawn -noecho cat
send "a line\r"
expect -re {a line.*a line} { puts "twice" }
close
puts "closed [lindex [wait] 2]"
exit 4
EXPECT
    cat >script.tcl <<'TCL'
set server [socket -server answer -myaddr 127.0.0.1 0]
proc answer {peer address port} { fconfigure $peer -buffering line; puts $peer [string toupper [gets $peer]]; close $peer }
set port [lindex [fconfigure $server -sockname] 2]
for {set n 0} {$n < 20} {incr n} {
    set peer [socket -async 127.0.0.1 $port]
    fconfigure $peer -buffering line
    puts $peer "line $n"
    fileevent $peer readable [list heard $peer]
}
proc heard peer { lappend ::heard [gets $peer]; close $peer; if {[llength $::heard] == 20} { set ::done 1 } }
vwait done
puts [lsort $heard]
puts [exec seq 1000 | sort -rn | head -n 2 2>@1]
catch {exec sh -c {exit 3}} message options
puts [lindex [dict get $options -errorcode] 2]
catch {exec sh -c {kill -TERM $$}} message options
puts [lindex [dict get $options -errorcode] 2]
set pipe [open "|cat" r+]
puts $pipe [string repeat x 5000]
flush $pipe
puts [string length [gets $pipe]]
close $pipe
set ticks 0
proc tick {} { if {[incr ::ticks] < 50} { after 2 tick } else { set ::ticked 1 } }
tick
vwait ticked
puts $ticks
for {set i 0} {$i < 100000} {incr i} { dict incr counts [expr {$i * 7919 % 1009}] }
puts [dict size $counts]
puts [catch {proc deep n { deep [incr n] }; deep 0} message]
exit 6
TCL
}

workload() {
    expect -f dialogue.exp 2>&1
    echo "status $?"
    tclsh script.tcl 2>&1
    echo "status $?"
}
