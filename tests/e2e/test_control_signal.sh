#!/usr/bin/env bash
# PROF_SIGNAL: each signal switches recording; handlers of the program keep working.
. "$(dirname "$0")/common.sh"

compile steps
export PROF_SIGNAL=USR2

# signal_twice FILE COMMAND...: recording goes on, then off, or the other way; output of the program in out.txt, one line more
# after each.
signal_twice() {
    local pid
    : >out.txt
    record "$@" >out.txt &
    local job=$!
    await "its first line" has_lines 1
    pid=$(head -1 out.txt)
    kill -USR2 "$pid"
    await "the first signal" has_lines 2
    kill -USR2 "$pid"
    wait "$job" || fail "$*: ended with $?"
}
has_lines() { (($(wc -l <out.txt) >= $1)); }

PROF_START=api signal_twice toggled.prof ./steps follow 2
same "what the program saw" "on off" "$(tail -n +2 out.txt | paste -sd ' ')"
expect toggled.prof 'count["step 0"] == 0 and count["work"] >= 10' \
    '[(w["start"], w["stop"]) for w in process["windows"]] == [("signal", "signal")]'

# Off first, where recording was on.
signal_twice off.prof ./steps follow 2
same "what the program saw" "off on" "$(tail -n +2 out.txt | paste -sd ' ')"
expect off.prof 'count["step 0"] == 1 and count["work"] >= 20' \
    '[(w["start"], w["stop"]) for w in process["windows"]] == [("start-up", "signal"), ("signal", None)]'

# A handler that the program installs later replaces ours.
PROF_START=api signal_twice later.prof ./steps handler 2
same "the program's own handler" "handled 2" "$(tail -1 out.txt)"
[[ ! -e later.prof ]] || fail "a handler that replaced ours did not"

# One that was there before is called too.
cat >first.c <<'CODE'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static volatile sig_atomic_t handled;
static void handle(int number, siginfo_t *info, void *context)
{
    (void)context;
    handled += number == SIGUSR2 && info && info->si_pid > 0;
}
static void say(void) { printf("handled %d\n", (int)handled); }
__attribute__((constructor)) static void first(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR2, &action, NULL);
    atexit(say);
}
CODE
"$CC" -shared -fPIC -o first.so first.c
lib="$lib:$here/first.so" PROF_START=api signal_twice chained.prof ./steps follow 2
same "the handler before ours" "handled 2" "$(tail -1 out.txt)"
expect chained.prof 'count["step 0"] == 0 and count["work"] >= 10'

# A storm of them: the program goes on, the trace is valid.
same "in a storm" OK "$(record storm.prof ./steps storm)"
expect storm.prof 'count["work"] > 0' 'process["closed"] and loss["unopened"] == 0'

# The pipe behind it may be closed and its number reused: the new file is left alone.
: >out.txt
PROF_START=api record closed.prof ./steps closes go >out.txt &
job=$!
await "its first line" has_lines 1
touch go
await "it to close all" has_lines 2
kill -USR2 "$(head -1 out.txt)"
rm go
wait "$job" || fail "a descriptor of the program's was written to"
PROF_SIGNAL=KILL record wrong.prof ./steps run 3 2>wrong.txt
grep -q "PROF_SIGNAL=KILL ignored" wrong.txt || fail "a wrong signal is not named: $(cat wrong.txt)"
