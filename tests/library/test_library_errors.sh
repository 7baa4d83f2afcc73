#!/usr/bin/env bash
# What is wrong is said in profdump's sentence, nothing is left behind, and the host stays as it was.
. "$(dirname "$0")/common.sh"

"$test/ask_wrongly" traces/demo.prof || fail "arguments that make no sense"

# Inputs that cannot be read.
head -c 3000 traces/demo.prof >cut.prof
head -c 100 traces/demo.prof >short.prof
: >empty.prof
echo '{"traceEvents": [{"ph": "X", "name": ' >cut.json
echo 'hello' >text
mkdir nothing_in_it
gzip -c traces/demo.prof | head -c 200 >cut.prof.gz
for input in no_such_file cut.prof short.prof empty.prof cut.json text nothing_in_it cut.prof.gz; do
    reported table $input
    exported perfetto "" $input
    exported chrome "" $input
done
reported table --partial cut.prof
reported check cut.prof
reported table traces/demo.prof no_such_file

# Targets that cannot be written; what was there stays.
exported chrome "" traces/demo.prof
for format in "${formats[@]}"; do
    [[ $format != etprof ]] || continue
    for target in /dev/full no_such_directory/out nothing_in_it; do
        status=0
        "$test/ask_trace" export $format $target traces/demo.prof >out.txt 2>err.txt || status=$?
        [[ $status == 1 && -s err.txt ]] || fail "$format to $target ends with $status: $(cat err.txt)"
    done
done
for target in /dev/full no_such_directory/out nothing_in_it; do
    alike "" -o $target --to perfetto traces/demo.prof -- export perfetto $target traces/demo.prof
    alike "" -o $target --to prometheus traces/demo.prof -- export prometheus $target traces/demo.prof
done
echo old >kept
(
    ulimit -f 1
    ! "$test/ask_trace" export chrome kept traces/demo.prof 2>/dev/null || fail "a file beyond the limit is written"
)
[[ $(cat kept) == old ]] || fail "what was there is gone"
leftovers

# Standard output that takes nothing, and one whose reader has gone: a status, and the program lives.
status=0
"$test/ask_trace" report table - traces/demo.prof >/dev/full 2>err.txt || status=$?
[[ $status == 1 ]] && grep -q "No space left" err.txt || fail "a full output: $status, $(cat err.txt)"
python3 - "$test/ask_trace" <<'PYTHON' || fail "a closed pipe"
import os, subprocess, sys
for what in (["report", "table", "-"], ["export", "chrome", "-"], ["export", "html", "-"], ["export", "folded", "/dev/stdout"]):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.argv[1], *what, "traces/demo.prof"], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert done.returncode == 1 and "closed it" in done.stderr, (what, done)
PYTHON

# In a locale with a decimal comma the same bytes.
if localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 2>/dev/null; then
    export LOCPATH=$PWD LC_ALL=de_DE.UTF-8
    [[ $("$test/ask_trace" locale) == 0,5 ]] || fail "the locale has no comma"
    exported svg "" traces/demo.prof
    exported prometheus "" traces/demo.prof
    reported explain traces/demo.prof
else
    echo "note: localedef has no locale with a decimal comma here"
fi
echo "$compared comparisons passed"
