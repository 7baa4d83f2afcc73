#!/usr/bin/env bash
# However a program ends: its status is its own, and everything it recorded is in a valid file.
. "$(dirname "$0")/common.sh"

compile ends

# ends_as HOW: the status and the output are what they are without the library; the file is
# HOW.prof.
ends_as() {
    wanted=$(status_of ./ends "$1")
    got=$(status_of timeout -s KILL 20 env LD_PRELOAD="$lib" PROF_OUTPUT="$1.prof" ./ends "$1")
    same "status of $1" "$wanted" "$got"
}

for how in exit _exit _Exit quick_exit execve execv execvp execvpe execl execlp execle fexecve \
    execveat daemon exit_in_thread; do
    ends_as $how
    expect $how.prof 'count["before"] == 2000' 'process["closed"]' 'not any(raw.loss)'
done

# What its own handlers record is recorded.
ends_as quick_exit_handler
expect quick_exit_handler.prof 'count["before"] == 2000' 'count["after"] == 1000' 'process["closed"]' 'not any(raw.loss)'

# Nothing of ours runs: the file is open, yet whole.
for how in segv abort term exit_group; do
    ends_as $how
    expect $how.prof 'count["before"] == 2000' 'not process["closed"]' 'not any(raw.loss)'
done

for how in exit_in_handler _exit_in_handler; do
    ends_as $how
    expect $how.prof 'count["before"] == 2000' 'count["busy"] > 0' 'process["closed"]' 'loss["unopened"] == 0'
done

ends_as exec_fails
expect exec_fails.prof 'count["before"] == 2000' 'count["after"] == 1000' 'count["around"] == 1' \
    'process["closed"]' 'not any(raw.loss)' 'loss["unclosed"] == 0 and loss["unopened"] == 0'

# The last thread's end is the program's end: a thread of the library's must not keep the program
# alive.
ends_as main_leaves
expect main_leaves.prof 'count["before"] == 1000' 'count["after"] == 1000' 'process["closed"]'
