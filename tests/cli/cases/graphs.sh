profdump graphs graphs.prof
