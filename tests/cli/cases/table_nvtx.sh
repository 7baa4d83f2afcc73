profdump nvtx.prof
