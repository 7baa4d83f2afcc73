#!/usr/bin/env bash
# PROF_PROMETHEUS: metrics of a running process are those of its recording; what happens in a forked child, after kill -9, with
# recording off, and in a directory that cannot be written. SIM_CUPTI_LAYOUT is chosen here.
. "$(dirname "${BASH_SOURCE[0]}")/cuda_common.sh"

compile_cuda summed
compile steps
mkdir metrics
export PROF_PROMETHEUS=$here/metrics
checked() { python3 "$e2e_directory/../formats/check_prometheus.py" "$1" >"$1.series" || fail "$1 is not Prometheus' format"; }
value() { sed -n "s/^libprof_$1{.*} //p" metrics/*.live.prom; }

# Every number is what the recording says, with each simulated CUPTI.
for layout in "${layouts[@]}"; do
    rm -rf metrics/*
    SIM_CUPTI_LAYOUT=$layout simulate "run-$layout.prof" ./summed 20 1000
    cp metrics/*.live.prom live.prom
    "$PROF_BIN/profdump" -o dump.prom "run-$layout.prof"
    checked live.prom
    checked dump.prom
    python3 "$e2e_directory/prometheus_expect.py" live.prom dump.prom || fail "metrics differ, CUPTI $layout"
    same "files, CUPTI $layout" 1 "$(ls metrics | wc -l)"
done
same "running, afterwards" 0 "$(value running)"

# A ring that has overwritten most of it, PROF_SUMMARY at the same time, a rank, and no rank.
rm -f metrics/*
PROF_SUMMARY=1 RANK=5 simulate ranked.prof ./summed 20 1000
found 'libprof_steps_total{.*rank="5"' <<<"$(cat metrics/*)" || fail "the rank is not a label"
found 'rank=' <live.prom && fail "a rank where there is none"
# What the device did in the steps is what the summaries of the same recording say.
for part in compute communication copy idle_host idle_device; do
    same "$part of the steps" \
        "$("$PROF_BIN/profdump" query --format tsv "SELECT printf('%d.%09d', sum($part) / 1000000000, sum($part) % 1000000000) FROM summary_steps" ranked.prof | tail -n 1)" \
        "$(sed -n "s/^libprof_step_part_seconds_total{.*part=\"$part\"} //p" metrics/*.live.prom)"
done

# A forked child has a file of its own.
rm -f metrics/*
simulate 'family-%p.prof' ./summed 5 0 fork
same "files of a family" 2 "$(ls metrics/*.live.prom | wc -l)"

# Written at once on request. A process that was killed says that it runs, and its last values stay.
rm -f metrics/*
export XDG_RUNTIME_DIR=$here/runtime
mkdir -p -m 700 runtime
PROF_CONTROL=1 LD_PRELOAD=$lib PROF_OUTPUT=killed.prof ./steps slow 100000 &
pid=$!
has_three_steps() { "$PROF_BIN/profdump" ctl "$pid" metrics >wrote.txt 2>&1 && [[ $(value steps_total) -gt 2 ]]; }
await "three steps" has_three_steps
found "wrote $PROF_PROMETHEUS/libprof-.*-$pid-.*.live.prom" <wrote.txt || fail "nothing was written: $(cat wrote.txt)"
kill -STOP "$pid"
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
same "running, after kill -9" 1 "$(value running)"
same "temporary files" 0 "$(ls metrics | grep -vc '\.live\.prom$')"

# A full disk: the old file stays whole, nothing is left beside it, the program goes on, and who asks is told.
unmount() { umount "$here/full" 2>/dev/null || true; }
trap 'unmount; leave' EXIT
if ((EUID == 0)) && mkdir full && mount -t tmpfs -o size=64k none full 2>/dev/null; then
    PROF_PROMETHEUS=$here/full PROF_CONTROL=1 LD_PRELOAD=$lib PROF_OUTPUT=full.prof ./steps slow 100000 >steps.txt &
    pid=$!
    has_steps() {
        "$PROF_BIN/profdump" ctl "$pid" metrics >wrote.txt 2>&1 && [[ $(sed -n 's/^libprof_steps_total{.*} //p' full/*.live.prom) -gt 2 ]]
    }
    await "steps in a file" has_steps
    cp full/*.live.prom before.prom
    dd if=/dev/zero of=full/filler bs=4k 2>dd.txt || true
    status=0
    "$PROF_BIN/profdump" ctl "$pid" metrics >wrote.txt 2>&1 || status=$?
    same "status on a full disk" 1 "$status"
    found 'No space left on device' <wrote.txt || fail "a full disk: $(cat wrote.txt)"
    cmp before.prom full/*.live.prom || fail "the old file has changed"
    same "files on a full disk" "1 filler" "$(ls full | grep -c prom) $(ls full | grep -v prom)"
    rm full/filler
    "$PROF_BIN/profdump" ctl "$pid" metrics >wrote.txt
    checked full/*.live.prom
    cmp -s before.prom full/*.live.prom && fail "the file is not written again"
    kill -KILL "$pid" || fail "the program has ended: $(cat steps.txt)"
    wait "$pid" 2>/dev/null || true
    unmount
else
    echo "note: no tmpfs can be mounted here"
fi

# Without the variable: no file, and a sentence for who asks.
PROF_PROMETHEUS='' PROF_CONTROL=1 LD_PRELOAD=$lib PROF_OUTPUT=none.prof ./steps slow 100000 &
pid=$!
is_refused() { ! "$PROF_BIN/profdump" ctl "$pid" metrics >asked.txt 2>&1 && found "started without PROF_PROMETHEUS" <asked.txt; }
await "a sentence for who asks" is_refused
kill "$pid"
wait "$pid" 2>/dev/null || true

# A directory that is missing, read-only or a file: one sentence, and the program does as without.
bare ./steps run 5 >expected.txt
mkdir -m 500 readonly
touch file
for directory in missing readonly file; do
    [[ $directory == readonly && $(id -u) == 0 ]] && continue
    PROF_PROMETHEUS=$directory record "no-$directory.prof" ./steps run 5 >out.txt 2>err.txt
    same "output, $directory" "$(cat expected.txt)" "$(cat out.txt)"
    same "sentences, $directory" 1 "$(grep -c "cannot write metrics to $directory: " err.txt)"
done

# Wrong use.
"$PROF_BIN/profrun" --prometheus '' true 2>err.txt && fail "profrun takes an empty directory"
found "needs a directory" <err.txt || fail "no sentence: $(cat err.txt)"
rm -f metrics/*
"$PROF_BIN/profrun" -q --prometheus metrics -o run.prof ./steps run 5 >/dev/null
same "files of profrun --prometheus" 1 "$(ls metrics/*.live.prom | wc -l)"
no_violations "writing metrics"
