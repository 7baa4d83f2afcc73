# Rows told apart by anything, alone and together.
for by in shape thread device stream path process rank name,shape name,thread,stream; do
    echo "by $by:"
    profdump --group-by "$by" rank0.prof rank1.prof nvtx.prof | sed -n '/Name/,/Self CPU time/p'
done
profdump --group-by path,name --json nvtx.prof | grep '"path"' | sed 's/"count.*"path"/"path"/'
