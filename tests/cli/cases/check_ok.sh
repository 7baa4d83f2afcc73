profdump check demo.prof
profdump check rank0.prof rank1.prof
