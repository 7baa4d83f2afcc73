# What people try first works, or is answered with what does it.
for word in kernels ranges timeline html tree summary compare open record xyzzyx explian; do
    profdump $word demo.prof
    echo "exit $?"
done 2>&1
profdump -o x.csv demo.prof 2>&1
for kind in kernel copy memcpy set call api range nvtx; do
    echo "== --kind $kind"
    profdump --kind $kind --csv -n 1 demo.prof | cut -d, -f1,2
done
for way in "-f csv" --csv; do
    profdump $way --top 2 demo.prof | cut -d, -f1,2
done
profdump --csv --filter KER demo.prof | cut -d, -f1,2
profdump query demo.prof "select count(*) from calls"
profdump query "select count(*) from ranges" demo.prof
profdump query "select * from kernel" demo.prof 2>&1
