profdump check nvtx.prof
