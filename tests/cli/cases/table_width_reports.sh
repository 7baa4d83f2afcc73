# The reports of memory, the ledger and graphs fit a terminal, too, and say what they leave out. Output to a pipe is
# not fitted.
for width in 80 100; do
    for report in "memory memory.prof" "check --ledger lossy.prof" "check --ledger graphs.prof" "check --ledger rank0.prof rank1.prof" "graphs graphs.prof"; do
        profdump --partial --table-width $width $report | awk -v most=$width -v what="$report" '
            length($0) > most { wide = 1 } END { print most, what (wide ? ": too wide" : ": fits") }'
    done
done
profdump --table-width 80 memory memory.prof | head -24
profdump --partial --table-width 70 check --ledger lossy.prof
