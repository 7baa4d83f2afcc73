#!/usr/bin/env bash
# Packing: exact, repeatable, whole after a kill, and what cannot be read does not keep the rest out.
# long: it packs thirty jobs
. "$(dirname "$0")/fleet_common.sh"

rows() { fleet fleet "$1" --format tsv --sql "$2" | tail -n +2; }

# The same sums as in the recordings.
make_job ranks=6 gpus=3 steps=5 job
rm job/truth.json
fleet pack job -o dataset --workers 2 >/dev/null
of_profdump=$("$PROF_BIN/profdump" query --format tsv "SELECT count(*), sum(duration) FROM kernels" job | tail -n +2)
same "kernels" "$of_profdump" "$(rows dataset "SELECT count(*), sum(duration_ns) FROM kernels")"
of_profdump=$("$PROF_BIN/profdump" query --format tsv "SELECT count(*), sum(duration) FROM slices WHERE kind = 'call'" job | tail -n +2)
same "calls" "$of_profdump" "$(rows dataset "SELECT count(*), sum(duration_ns) FROM calls")"
same "the summary" "$(rows dataset "SELECT count(*), sum(duration_ns) FROM kernels")" \
    "$(rows dataset "SELECT sum(count), sum(sum_ns) FROM summary WHERE kind IN ('compute', 'communication')")"
same "parts of steps" 0 "$(rows dataset "SELECT sum(abs(duration_ns - compute_ns - communication_ns - copy_ns - idle_host_ns - idle_device_ns)) FROM steps")"
same "ranks" "6" "$(rows dataset "SELECT count(*) FROM ranks WHERE rank_known AND closed")"

# Collectives alone, in groups and captured into a graph, with ranks that hang: the rows that their recordings show.
# collectives OPTION...: the rows of a job with these options are the truth
collectives() {
    make_job ranks=6 gpus=3 steps=4 "$@" shown && fleet pack shown -o shown.dataset >/dev/null
    sort shown/*.tsv >truth.txt
    rows shown.dataset "SELECT rank, step, communicator, sequence, function, bytes, called, start, duration_ns, stream, group_place, group_bytes
        FROM collectives" | sort >rows.txt
    diff truth.txt rows.txt >diff.txt || fail "rows of $*: $(head -n 6 diff.txt)"
    [[ $(wc -l <truth.txt) -gt 50 ]] || fail "no rows of $*"
    same "mismatches of $*" "$mismatches" "$(fleet fleet mismatches shown.dataset --format tsv | tail -n +2 | wc -l)"
    rm -r shown shown.dataset
}
mismatches=0
collectives tp=3
collectives tp=3 groups=1
collectives tp=3 graphs=1
collectives tp=3 groups=1 graphs=1
collectives tp=1 pp=3 groups=1
mismatches=6 # a row for each rank
collectives fault=dead_rank groups=1
collectives fault=dead_rank groups=1 graphs=1
collectives fault=dead_rank graphs=1

# Several ranks in one file: each is as it is in a file of its own.
"$PROF_BIN/profdump" -o all.json job
fleet pack all.json -o all.dataset --workers 1 >/dev/null
for sums in "count(*), sum(compute_ns), sum(overlapped_ns), sum(communication_ns), sum(idle_host_ns), sum(idle_device_ns) FROM steps" \
    "count(step), sum(step), sum(duration_ns), sum(queue_ns) FROM kernels" "count(range), sum(host_ns) FROM idle"; do
    same "ranks of one file" "$(rows dataset "SELECT rank, $sums GROUP BY rank ORDER BY rank")" "$(rows all.dataset "SELECT rank, $sums GROUP BY rank ORDER BY rank")"
done

# Peaks of memory, as `profdump memory` has them.
mkdir memory_traces && "$PROF_BIN/../test/make_traces" memory_traces
fleet pack memory_traces/memory.prof -o memory_dataset >/dev/null
of_profdump=$("$PROF_BIN/profdump" memory --format json memory_traces/memory.prof | python3 -c 'import json, sys
for heap in sorted(json.load(sys.stdin)["heaps"], key=lambda heap: heap["peak_bytes"]): print(heap["peak_bytes"])')
same "peaks" "$of_profdump" "$(rows memory_dataset "SELECT peak_bytes FROM memory ORDER BY peak_bytes")"
same "ranges at the peaks" "2	forward" "$(rows memory_dataset "SELECT count(*), min(name) FROM memory JOIN (SELECT DISTINCT * FROM names) AS n ON id = range")"

# Again: nothing to do. More ranks: only these.
same "again" "dataset: packed 0 recordings, 6 were there, 0 could not be read" "$(fleet pack job -o dataset)"
make_job ranks=8 gpus=3 steps=5 seed=9 other
same "more" "dataset: packed 2 recordings, 0 were there, 0 could not be read" "$(fleet pack other/rank-0000[67].prof -o dataset)"
same "two recordings of rank 0" 1 "$(fleet pack other/rank-00000.prof -o dataset >/dev/null; fleet fleet dataset | grep -c 'the same rank.*: rank 0$')"

# Dumps are copies of a part of what their process records: they are no ranks.
compile steps
RANK=4 WORLD_SIZE=8 record whole.prof ./steps dump 20000 || fail "prof_dump(): $?"
mkdir dumps && mv whole.prof inside.prof dumps
truncate -s "$(($(stat -c %s dumps/whole.prof) + 65536))" dumps/inside.prof # a dump can have as many pages, and more
same "a dump beside its recording" "dumped: packed 1 recording, 0 were there, 0 could not be read" "$(fleet pack dumps -o dumped 2>err.txt)"
same "what is said" "profdump: dumps/inside.prof: left out: it duplicates a part of dumps/whole.prof" "$(cat err.txt)"
same "the file" "whole.prof	4" "$(rows dumped "SELECT file, rank FROM ranks")"
same "again" "dumped: packed 0 recordings, 1 were there, 0 could not be read" "$(fleet pack dumps -o dumped 2>err.txt)"
same "what is said again" "profdump: dumps/inside.prof: left out: whole.prof, of the same process, is in the dataset" "$(cat err.txt)"

# Two jobs of the same ranks: what is packed at once is kept apart.
fleet pack job/*.prof other/*.prof -o together --workers 1 >/dev/null
fleet pack job -o apart >/dev/null && fleet pack other -o apart >/dev/null
of_steps="SELECT count(*), sum(compute_ns), sum(overlapped_ns), sum(idle_host_ns) FROM steps"
same "steps of two jobs" "$(rows apart "$of_steps")" "$(rows together "$of_steps")"
of_collectives="SELECT count(*), sum(sequence), sum(step), sum(duration_ns) FROM collectives"
same "collectives of two jobs" "$(rows apart "$of_collectives")" "$(rows together "$of_collectives")"

# Killed at any moment: packing again gives what packing once gives.
make_job ranks=4 steps=400 long
fleet pack long/*.prof -o once >/dev/null
sums="SELECT count(*), sum(duration_ns), sum(start % 1000003) FROM kernels"
for delay in 0.3 0.9 1.3 1.7; do
    setsid python3 -m libprof pack long/*.prof -o killed >/dev/null 2>&1 &
    sleep $delay
    kill -9 -- -$! 2>/dev/null || true
    wait $! 2>/dev/null || true
done
fleet pack long/*.prof -o killed >/dev/null
same "after kills" "$(rows once "$sums")" "$(rows killed "$sums")"
same "leftovers" "" "$(find killed -name '.*.tmp')"
same "files" "$(cd once && find . | sort)" "$(cd killed && find . | sort)"

# Large jobs are shared out among the threads, small ones are not.
python3 - <<'PYTHON' || fail "shares of processes"
from pathlib import Path
from libprof.fleet._pack import GROUP_FILES, Recording, _groups
def sizes(megabytes, count, workers, suffix=".prof"):
    return [len(group) for group in _groups([Recording(Path(f"{i}{suffix}"), str(i), "", False, megabytes << 20) for i in range(count)], workers)]
assert sizes(1, 12, 4) == [12] and sizes(20, 8, 4) == [2, 2, 2, 2] and sizes(6, 8, 1) == [8]
assert sizes(25, 8, 2) == [3, 3, 2] and sizes(100, 8, 2, ".json") == [3, 3, 2], sizes(25, 8, 2)
assert sizes(6, 8, 2, ".json.gz") == [3, 3, 2] and sizes(1, 8, 2, ".json.zst") == [4, 4]
assert sizes(0, 2 * GROUP_FILES + 1, 1) == [GROUP_FILES, GROUP_FILES, 1]
PYTHON

# Several threads pack what one packs, also for a script whose first lines cannot run again.
python3 - <<'PYTHON' || fail "threads"
from libprof import fleet
from libprof.fleet import _pack
assert fleet.pack(["job"], "thread", workers=1).packed == 6
_pack.LEAST_GROUP_BYTES = 1
assert fleet.pack(["job"], "threads", workers=3).packed == 6
PYTHON
same "parts" 3 "$(find threads/packed -name '*.json' | wc -l)"
for table in kernels calls ranges collectives; do
    same "$table of several threads" "$(rows thread "SELECT count(*), sum(hash($table)) FROM $table")" "$(rows threads "SELECT count(*), sum(hash($table)) FROM $table")"
done

# Damaged, foreign and wrong inputs.
head -c 100000 job/rank-00000.prof >cut.prof
echo nonsense >nonsense.prof
if fleet pack cut.prof nonsense.prof job/rank-00001.prof -o partly >out.txt 2>err.txt; then fail "no error for damaged recordings"; fi
same "what could be read" "partly: packed 1 recording, 0 were there, 2 could not be read" "$(cat out.txt)"
found 'nonsense.prof: ' <err.txt && found 'cut.prof: ' <err.txt || fail "$(cat err.txt)"
python3 - <<'E2' >kineto.json
print('{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":3,"args":{"device":0,"stream":7,"correlation":1}},')
print('{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":3265820224,"ts":1,"dur":1,"args":{"correlation":1}}]}')
E2
fleet pack kineto.json -o kineto >/dev/null
same "a trace without rank, steps and collectives" "true	1" "$(rows kineto "SELECT rank < 0, count(*) FROM kernels GROUP BY rank" | tr TF tf)"
for judged in 'all ranks recorded cannot be judged: 1 recording does not state' 'a collective hangs cannot be judged: no communicators' \
    'a rank keeps others waiting cannot be judged: there is one rank only'; do
    found "[Ww]hether $judged" < <(fleet fleet kineto) || fail "no '$judged': $(fleet fleet kineto)"
done
found 'Nothing stands out' < <(fleet fleet kineto) && fail "an all-clear without evidence: $(fleet fleet kineto)"
fleet fleet kineto -o kineto.html && found 'no communicators were recorded' <kineto.html || fail "the page of a trace without communicators"
for report in stragglers collectives mismatches breakdown averages outliers ledger; do
    fleet fleet $report kineto >/dev/null || fail "$report of one rank"
done

# A dataset into which nothing could be packed, and a job without steps and collectives: sentences that say so.
if fleet pack nonsense.prof -o empty 2>/dev/null; then fail "no error for nonsense"; fi
found '^- there are no ranks' < <(fleet fleet empty) && ! found 'Nothing stands out' < <(fleet fleet empty) || fail "$(fleet fleet empty)"
fleet fleet empty -o empty.html && found 'there are no ranks' <empty.html || fail "the page of an empty dataset"
for report in stragglers collectives mismatches breakdown averages outliers; do
    same "$report of nothing" 1 "$(fleet fleet $report empty --format tsv | wc -l)"
done
found ', no steps$' < <(fleet fleet kineto) || fail "$(fleet fleet kineto)"
make_job ranks=1 steps=3 alone
fleet pack alone -o alone.dataset >/dev/null
found '1 rank on 1 host, median step' < <(fleet fleet alone.dataset) && found '^Nothing stands out' < <(fleet fleet alone.dataset) || fail "$(fleet fleet alone.dataset)"

# Statements may write names as they like, or ask for them.
same "capitals" "$(rows dataset "SELECT count(*) FROM kernels")" "$(rows dataset 'SELECT count(*) FROM "KERNELS"')"
same "all tables" "$(fleet fleet schema | grep -c '^### ')" "$(rows dataset "SHOW TABLES" | wc -l)"

# A statement that is wrong: what DuckDB says, and nothing else.
if fleet fleet dataset --sql "SELECT nonsense FROM kernels" 2>err.txt; then fail "no error for a wrong statement"; fi
found '^profdump: .*nonsense' <err.txt && ! found 'Traceback\|nanobind' <err.txt || fail "$(cat err.txt)"

# Datasets that are not what they should be.
rm dataset/table=calls/*
found 'missing file: .*calls' < <(fleet fleet dataset 2>&1) || fail "a missing file is not reported"
same "calls" 0 "$(rows dataset "SELECT count(*) FROM calls")"
echo '{"version": 99}' >kineto/dataset.json
if fleet fleet kineto 2>err.txt; then fail "a newer version is read"; fi
found 'version 99' <err.txt || fail "$(cat err.txt)"
mkdir full && touch full/thing
if fleet pack job -o full 2>err.txt; then fail "packs into a directory of other files"; fi
found 'holds other files' <err.txt || fail "$(cat err.txt)"

# A disk that is full: one sentence, and no files under temporary names. A limit of 4 KiB stands for it; Python ignores its signal.
status=0
bash -c 'ulimit -f 4 && exec python3 -m libprof pack job -o small' >out.txt 2>err.txt || status=$?
same "status where files cannot be written" 1 "$status"
found '^profdump: small: part .* cannot be written: .*File too large' <err.txt && same "lines said" 1 "$(wc -l <err.txt)" || fail "$(cat err.txt)"
same "files left" "small/dataset.json" "$(find small -type f)"
same "what can be written later" 0 "$(fleet pack job -o small >/dev/null; echo $?)"

# The umask decides who may read a dataset and a page.
for mask in 000 027; do
    (
        umask "$mask"
        fleet pack job -o "modes.$mask" >/dev/null
        fleet fleet "modes.$mask" -o "modes.$mask/job.html" >/dev/null
    )
    same "modes with umask $mask" "$(printf '%o\n%o' $((0666 & ~0$mask)) $((0777 & ~0$mask)))" \
        "$(find "modes.$mask" \( -type f -o -type d \) -printf '%m\n' | sort -u)"
done
