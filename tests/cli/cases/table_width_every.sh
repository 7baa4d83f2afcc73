# No line of any report is wider than the terminal. Numbers are never cut.
widest() {
    awk -v most="$1" 'length($0) > most { print FNR ": " $0 }'
}
while read -r report; do
    for width in 80 100 120; do
        # shellcheck disable=SC2086 # options and files
        profdump --partial --table-width $width $report 2>/dev/null | widest $width | sed "s|^|$report at $width: |"
    done
done <<'REPORTS'
--total --memory nvtx.prof
--total --group-by name,thread,stream rank0.prof rank1.prof
--tree nvtx.prof
--kernels --columns all demo.prof
--api demo.prof
--projected nvtx.prof
explain nvtx.prof
explain --rules
blocks blocks.prof
blocks --range forward demo.prof
tax nvtx.prof
tax --target-time-scale ns blocks.prof
analyze nvtx.prof
analyze --devices
breakdown demo.prof
breakdown rank0.prof rank1.prof
diff demo.prof nvtx.prof
graphs graphs.prof
ledger lossy.prof
memory memory.prof
REPORTS
profdump --table-width 80 tax nvtx.prof
profdump --table-width 80 blocks --range forward demo.prof
profdump --table-width 80 explain demo.prof | sed -n 1,12p
