#!/usr/bin/env bash
# Who may read a file: of what profdump and the package write, the umask decides, in whatever format. Recordings and what belongs
# to them are their owner's alone.
. "$(dirname "$0")/common.sh"

compile blocks

formats=$("$PROF_BIN/profdump" export --help | awk '/^Options/ { exit } $2 ~ /^[.]/ { print $1 }')
(($(wc -w <<<"$formats") == 12)) || fail "formats: $formats"

# modes UMASK MODE DIRECTORY: that is the mode of every file below it.
modes() {
    local odd
    odd=$(find "$3" -type f ! -perm "$2" -printf '%m %P\n')
    [[ -z $odd ]] || fail "with umask $1, not $2:"$'\n'"$odd"
}

write_exports() {
    local format
    for format in $formats; do "$PROF_BIN/profdump" -o "$1/of_$format" --to "$format" run.prof; done
    "$PROF_BIN/profdump" -o "$1/packed.json.gz" run.prof
    "$PROF_BIN/profdump" diff run.prof run.prof -o "$1/diff.html" >/dev/null
    "$PROF_BIN/profdump" -o "$1/a.json" run.prof
    "$PROF_BIN/profdump" pytorch augment "$1/a.json" "$1/augmented.json" 2>/dev/null
    "$PROF_BIN/profdump" pytorch combine "$1/a.json" "$1/a.json" "$1/combined.json" >/dev/null
}

cat >exports.py <<'PYTHON'
import sys

import libprof

directory = sys.argv[1]
with libprof.profile(with_stack=True, profile_memory=True) as prof:
    with libprof.record_function("work"):
        sum(range(1000))
prof.export_chrome_trace(f"{directory}/p.json")
prof.export_chrome_trace(f"{directory}/p.json.gz")
prof.export_stacks(f"{directory}/p.stacks")
for name in ("p.html", "p.pftrace", "p.svg", "p.sqlite"):
    prof.trace.export(f"{directory}/{name}")
libprof.tensorboard_trace_handler(f"{directory}/log")(prof)
PYTHON

# So it is while the program runs, and after kill -9: a file that nobody may write to would be a nuisance to remove.
compile commanded
umask 022
mkfifo to
LD_PRELOAD=$lib PROF_OUTPUT=live.prof ./commanded <to >marks.txt &
exec 3>to
echo 100 >&3
await "a recording" test -s marks.txt
same "the mode of a recording that goes on" 600 "$(stat -c %a live.prof)"
kill -KILL $!
wait $! 2>stderr.txt || true
exec 3>&-
same "the mode of a killed program's recording" 600 "$(stat -c %a live.prof)"
expect live.prof 'count["mark"] == 100' 'not process["closed"]'

for mask in 000 022 027 077; do
    umask "$mask"
    mode=$(printf '%o' $((0666 & ~0$mask)))
    rm -rf run*.prof written && mkdir written
    (cd written && record ../run.prof ../blocks dump_create_dump >/dev/null) # and writes its results
    same "a recording, with umask $mask" 600 "$(stat -c %a run.prof)"
    write_exports written
    PYTHONPATH="$e2e_directory/../../python_shim" LIBPROF_BIN=$PROF_BIN LIBPROF_LIBRARY=$lib python3 exports.py written
    modes "$mask" "$mode" written
done
