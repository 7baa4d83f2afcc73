#!/usr/bin/env bash
# Tables fit the terminal they are printed to: profdump's, profrun's, the one at exit, prof_table(). In a file or a pipe they
# are not fitted.
. "$(dirname "$0")/common.sh"

in_terminal() { python3 "$e2e_directory/in_terminal.py" "$@"; }
widest() { awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }' "$1"; }
fits() { (($(widest "$1") <= $2)) || fail "$3: $(widest "$1") columns on a terminal of $2:"$'\n'"$(cat "$1")"; }
fitted() { grep -q '^Left out: .*fit 90' "$1" || fail "$2 does not say what was left out:"$'\n'"$(cat "$1")"; }
export TERM=dumb

cat >names.c <<'C'
#include <prof/prof.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 100; i++) {
        prof_range_push("a range with quite a long name, longer than a narrow terminal has room for");
        prof_range_pop();
    }
    if (argc > 1)
        prof_table(stdout);
    return 0;
}
C
"$CC" -I"$include" names.c -o names

record names.prof ./names
"$PROF_BIN/profdump" names.prof >file.txt
(($(widest file.txt) > 120)) || fail "the table is too narrow for this test: $(cat file.txt)"

in_terminal 90 "$PROF_BIN/profdump" names.prof >profdump.txt
fits profdump.txt 90 profdump
fitted profdump.txt profdump

# COLUMNS overrides the terminal's width, and has no effect elsewhere.
COLUMNS=70 in_terminal 90 "$PROF_BIN/profdump" names.prof >columns.txt
fits columns.txt 70 'profdump, COLUMNS=70'
COLUMNS=70 "$PROF_BIN/profdump" names.prof | cmp - file.txt || fail "COLUMNS changed what goes to a pipe"
for wrong in 0 -1 wide ''; do
    COLUMNS=$wrong in_terminal 90 "$PROF_BIN/profdump" names.prof | cmp - profdump.txt || fail "COLUMNS=$wrong"
done
# Not fitted: a terminal of unknown width, a wide one, and with --table-width 0.
for wide in 0 300; do
    in_terminal $wide "$PROF_BIN/profdump" names.prof | cmp - file.txt || fail "a terminal of $wide columns"
done
in_terminal 90 "$PROF_BIN/profdump" --table-width 0 names.prof | cmp - file.txt || fail "--table-width 0"
in_terminal 90 sh -c "'$PROF_BIN/profdump' names.prof | cat" | cmp - file.txt || fail "a pipe within a terminal"

in_terminal 90 "$PROF_BIN/profrun" -o run.prof ./names >profrun.txt
sed -i '/^profrun: /d' profrun.txt
fits profrun.txt 90 profrun
fitted profrun.txt profrun

in_terminal 90 env LD_PRELOAD="$lib" PROF_OUTPUT=exit.prof PROF_TABLE=1 ./names >exit.txt
sed -i '/^libprof: wrote/d' exit.txt
fits exit.txt 90 'the table at exit'
fitted exit.txt 'the table at exit'
in_terminal 90 env LD_PRELOAD="$lib" PROF_OUTPUT=called.prof ./names table >called.txt
fits called.txt 90 'prof_table()'
fitted called.txt 'prof_table()'
record piped.prof ./names table | grep -q '  ------------  ------------' || fail "prof_table() to a pipe is fitted"
