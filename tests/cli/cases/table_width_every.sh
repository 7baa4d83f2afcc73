# No line of any report is wider than the terminal. Numbers are never cut.
widest() {
    awk -v most="$1" 'length($0) > most { print FNR ": " $0 }'
}
while read -r report; do
    for width in 80 100 120; do
        # shellcheck disable=SC2086 # options and files
        profdump $report --partial --table-width $width 2>/dev/null | widest $width | sed "s|^|$report at $width: |"
    done
done <<'REPORTS'
--total --columns memory nvtx.prof
--total --group-by name,thread,stream rank0.prof rank1.prof
--tree nvtx.prof
--kind kernels --columns all demo.prof
--kind api demo.prof
--kind projected nvtx.prof
explain nvtx.prof
explain --rules
executorch blocks blocks.prof
executorch blocks --range forward demo.prof
executorch tax nvtx.prof
executorch tax --target-time-scale ns blocks.prof
roofline nvtx.prof
roofline --devices
breakdown demo.prof
breakdown rank0.prof rank1.prof
diff demo.prof nvtx.prof
graphs graphs.prof
check --ledger lossy.prof
memory memory.prof
REPORTS
profdump executorch tax --table-width 80 nvtx.prof
profdump executorch blocks --table-width 80 --range forward demo.prof
profdump explain --table-width 80 demo.prof | sed -n 1,12p
