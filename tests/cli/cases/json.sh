profdump --json demo.prof
