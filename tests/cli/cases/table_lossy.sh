profdump lossy.prof
