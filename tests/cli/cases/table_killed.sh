profdump killed.prof
