profdump breakdown --rows 2 rank0.prof rank1.prof
