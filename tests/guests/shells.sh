# fish, zsh and dash: jobs, traps, modules, substitutions
# packages: fish zsh dash
# commands: fish zsh dash

version() { echo "$(fish --version), $(zsh --version | cut -d' ' -f1,2)"; }

prepare() {
    cat >script.fish <<'FISH'
set -l total 0
for n in (seq 150)
    set total (math $total + (echo $n))
end
echo total $total
seq 2000 | sort -rn | head -n 2 | string join ,
function trapped --on-signal USR1
    echo trapped
end
kill -USR1 $fish_pid
sleep 0.1
sh -c 'exit 4'
echo status $status
false | true | sh -c 'exit 3'
echo $pipestatus
sleep 60 &
kill (jobs -lp)
wait
echo waited
diff (seq 3 | psub) (seq 4 | psub)
function on_exit --on-event fish_exit
    echo leaving
end
command_that_is_not_there 2>/dev/null
echo status $status
exec sh -c 'echo executed; exit 6'
FISH
    cat >script.zsh <<'ZSH'
zmodload zsh/zpty zsh/net/tcp zsh/system zsh/datetime zsh/sched zsh/mathfunc
integer total=0
for n in {1..150}; do (( total += $(echo $n) )); done
echo total $total
seq 2000 | sort -rn | head -n 2
diff <(seq 3) =(seq 4)
echo ${(j:,:)${(on)$(print 3 1 2)}}
zpty cat cat; zpty -w cat 'through a terminal'; zpty -r cat line; echo ${line%%[[:cntrl:]]*}; zpty -d cat
coproc tr a-z A-Z
print -p words; exec 4<&p; coproc exit; read -u 4 answer; echo $answer
TRAPUSR1() { echo trapped }
kill -USR1 $$
sleep 60 & kill $!; wait $!; echo status $?
(exit 3) | (exit 4) | (exit 5); echo $pipestatus
setopt multios; echo both >one >two; cat one two
{ sleep 0.1; echo later } & wait
TRAPZERR() { echo "error $?" }; false; unfunction TRAPZERR
( ulimit -t 1; while :; do :; done ); echo "cpu limit $?"
TRAPEXIT() { echo leaving }
exit 7
ZSH
    cat >script.dash <<'DASH'
i=0; while [ $i -lt 200 ]; do i=$((i + $(echo 1))); done; echo $i
trap 'echo trapped' USR1; kill -USR1 $$
sleep 60 & kill $!; wait $!; echo "status $?"
(echo "in the background") &
wait
echo through | { read line; echo "$line"; }
x=$(exit 5); echo $?
cat <<HERE
$(seq 3)
HERE
trap 'echo leaving; exit 8' EXIT
kill -TERM $$
sleep 60
DASH
}

workload() {
    fish --no-config script.fish 2>&1
    echo "status $?"
    zsh -f script.zsh 2>&1
    echo "status $?"
    dash script.dash 2>&1
    echo "status $?"
}
