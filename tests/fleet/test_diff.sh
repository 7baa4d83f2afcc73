#!/usr/bin/env bash
# Two runs of a job: a change is found where it was made, noise is not reported, and the gate follows the steps.
. "$(dirname "$0")/fleet_common.sh"

make_job ranks=16 tp=4 gpus=8 steps=8 seed=7 before
make_job ranks=16 tp=4 gpus=8 steps=8 seed=8 again
make_job ranks=16 tp=4 gpus=8 steps=8 seed=9 fault=slow_gpu victim=2 slow
make_job ranks=16 tp=4 gpus=8 steps=8 seed=9 fault=slow_link victim=1 link
make_job ranks=8 tp=4 gpus=8 steps=8 seed=3 small
make_job ranks=4 gpus=4 steps=2 short
make_job ranks=4 gpus=4 steps=2 fault=slow_gpu victim=2 short_slow
for job in before again slow link small short short_slow; do
    fleet pack $job -o $job.dataset --workers 1 >/dev/null
done
verdicts() { fleet fleet diff "$1" "$2" --format tsv | tail -n +2 | cut -f 3 | sort -u; }
status_of() {
    local status=0
    "$@" >out.txt 2>err.txt || status=$?
    echo $status
}

same "a job and itself" "same" "$(verdicts before.dataset before.dataset)"
same "a job and another healthy one" "same" "$(verdicts before.dataset again.dataset)"
fleet fleet diff before.dataset again.dataset >again.txt
found '^- step: no difference beyond noise' <again.txt || fail "$(cat again.txt)"

fleet fleet diff before.dataset slow.dataset >slow.txt
fleet fleet diff before.dataset slow.dataset --format tsv >slow.tsv
found '^- step: slower, +' <slow.txt || fail "$(cat slow.txt)"
found '^- compute: slower on some ranks.* most on rank 2 (+' <slow.txt || fail "$(cat slow.txt)"
same "the kernels that are slower, and where" "4	2" "$(awk -F'\t' \
    '$1 == "compute" && $3 == "slower on some ranks" { n++; split($11, rank, " "); where[rank[1]] } END { for (r in where) print n "\t" r }' slow.tsv)"
# Causes before effects: the others wait for rank 2, and the host waits for the device. A slow link is a cause.
row_of() { awk -F'\t' -v name="$1" '$2 == name { print NR }' slow.tsv; }
effect_of() { awk -F'\t' -v name="$2" '$2 == name { print $12; exit }' "$1"; }
[[ $(row_of compute) -lt $(row_of communication) ]] || fail "the effect comes first"
same "the effect" "ranks wait longer for others in it" "$(effect_of slow.tsv communication)"
same "a call that waits" "it waits for the device" "$(effect_of slow.tsv cudaDeviceSynchronize)"
same "the sentences" "compute" "$(sed -n 's/^- \(compute\|communication\):.*/\1/p' slow.txt | head -n 1)"
fleet fleet diff before.dataset link.dataset --format tsv >link.tsv
same "a slow link" "" "$(effect_of link.tsv communication)"
same "faster" 1 "$(fleet fleet diff slow.dataset before.dataset | grep -c '^- step: faster, -')"

same "the gate" 4 "$(status_of fleet fleet diff before.dataset slow.dataset --fail-if-slower 5%)"
found 'limit 5 %: FAILED' <out.txt || fail "$(cat out.txt)"
same "a high limit" 0 "$(status_of fleet fleet diff before.dataset slow.dataset --fail-if-slower 1.9x)"
same "noise" 0 "$(status_of fleet fleet diff before.dataset again.dataset --fail-if-slower 0%)"
same "too few steps" 0 "$(status_of fleet fleet diff short.dataset short.dataset --fail-if-slower 0%)"
found 'the noise is unknown' <out.txt || fail "$(cat out.txt)"
same "an excess, with too few steps" 5 "$(status_of fleet fleet diff short.dataset short_slow.dataset --fail-if-slower 5%)"
found 'the noise is unknown, +.*limit 5 %: INCONCLUSIVE' <out.txt || fail "$(cat out.txt)"

fleet fleet diff before.dataset small.dataset >small.txt
found 'have 16 and 8 ranks' <small.txt || fail "$(cat small.txt)"

same "a limit that is none" 2 "$(status_of fleet fleet diff before.dataset again.dataset --fail-if-slower nonsense)"
same "one dataset" 2 "$(status_of fleet fleet diff before.dataset)"
same "the option alone" 2 "$(status_of fleet fleet before.dataset --fail-if-slower 5%)"
