profdump --chrome out.json nvtx.prof
cat out.json
