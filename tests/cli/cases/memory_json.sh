profdump memory --json memory.prof
