profdump memory --rows 1 memory.prof
