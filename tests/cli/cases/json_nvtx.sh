profdump --json nvtx.prof
