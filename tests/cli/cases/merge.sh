profdump rank0.prof rank1.prof
