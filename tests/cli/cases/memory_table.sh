profdump --columns memory memory.prof
