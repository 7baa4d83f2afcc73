#!/usr/bin/env bash
# A dataset made of summaries alone agrees with one made of all events: summary and steps, row by row. Reports answer from it.
. "$(dirname "$0")/fleet_common.sh"
export SIM_LIB=$PROF_LIB/sim
. "$e2e_directory/cuda_common.sh"

compile_cuda summed
for rank in 0 1 2; do
    OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3 PROF_SUMMARY=1 simulate "rank$rank.prof" ./summed 40
done
fleet pack rank?.prof -o full >/dev/null
fleet pack --summaries rank?.prof -o summed.dataset >/dev/null

rows() { fleet fleet "$1" --format tsv --sql "$2" | tail -n +2; }
both() { same "$1" "$(rows full "$2")" "$(rows summed.dataset "$2")"; }
both "the summary" "SELECT s.* EXCLUDE (name, histogram), n.name, histogram::VARCHAR FROM summary s JOIN (SELECT DISTINCT * FROM names) n ON n.id = s.name ORDER BY ALL"
both "the steps" "SELECT * EXCLUDE (tid) FROM steps ORDER BY ALL"
both "the ranks" "SELECT rank, rank_known, world_size, host, pid, program, device, closed, file FROM ranks ORDER BY ALL"
both "the ledger" "SELECT * FROM ledger ORDER BY rank"
same "steps" 120 "$(rows summed.dataset "SELECT count(*) FROM steps")"
same "events" 0 "$(rows summed.dataset "SELECT count(*) FROM kernels")"
fleet fleet breakdown summed.dataset | found '^ *2 ' || fail "$(fleet fleet breakdown summed.dataset)"
for report in "" averages ledger stragglers collectives mismatches outliers; do
    fleet fleet $report summed.dataset >report.txt || fail "$report: $(cat report.txt)"
done

# The rank that takes longer is found from summaries, as from events, although nobody is seen to wait for it.
make_job ranks=12 tp=4 gpus=4 steps=6 seed=5 fault=slow_gpu victim=7 summary=1 job
fleet pack --summaries job -o job.summaries >/dev/null
fleet pack job -o job.events >/dev/null
judgement() { fleet fleet "$1" | sed -n 's/.*\(compute takes .* a step longer than on most ranks (.*)\).*/\1/p'; }
found '^- rank 7 on node1 takes longer: compute takes ' < <(fleet fleet job.summaries) || fail "$(fleet fleet job.summaries)"
same "the verdict from summaries" "$(judgement job.events)" "$(judgement job.summaries)"
of_rank() { fleet fleet stragglers "$1" --format json | python3 -c 'import json, sys
for row in json.load(sys.stdin)["rows"]: print(row["rank"], row["longer"], row["longer_by_ns"]) if row["rank"] in (3, 7) else None' | sort; }
same "what ranks do longer" "$(of_rank job.events)" "$(of_rank job.summaries)"
same "the first" 7 "$(fleet fleet stragglers job.summaries --format tsv | sed -n 2p | cut -f 1)"

# The rest of the files is not read: without the words of their logs, the answer is the same.
python3 - rank0.prof <<'E2'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
for at in range(65536, len(data), 65536):
    magic, kind = struct.unpack_from("<IH", data, at)
    if magic == 0x4B484350 and kind == 2:
        data[at + 64 : at + 65536] = b"\xff" * (65536 - 64)
open("ruined.prof", "wb").write(data)
E2
fleet pack --summaries ruined.prof -o ruined >/dev/null
same "without logs" "$(rows summed.dataset "SELECT sum(count), sum(sum_ns) FROM summary WHERE rank = 0")" "$(rows ruined "SELECT sum(count), sum(sum_ns) FROM summary")"

# A recording without them is reported.
simulate plain.prof ./summed 1
if fleet pack --summaries plain.prof -o none 2>err.txt; then fail "packs a recording without summaries"; fi
found 'plain.prof: it has no summaries' <err.txt || fail "$(cat err.txt)"
