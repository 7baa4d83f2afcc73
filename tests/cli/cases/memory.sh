profdump memory memory.prof
