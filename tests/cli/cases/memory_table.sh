profdump --memory memory.prof
