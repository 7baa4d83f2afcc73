profdump check graphs.prof
