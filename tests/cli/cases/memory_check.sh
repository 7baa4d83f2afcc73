profdump check memory.prof
