profdump graphs --json graphs.prof
