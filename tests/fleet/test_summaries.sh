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
