# Durations: exact percentiles, cold and warm calls, projections, and tables of one kind.
profdump --columns all --sort p99 demo.prof | sed -n '/Name/,/Self CPU time/p'
for kind in kernels memcpy memset api python projected; do
    echo "$kind:"
    profdump --kind $kind demo.prof | sed -n '/Name/,/Self CPU time/p'
done
