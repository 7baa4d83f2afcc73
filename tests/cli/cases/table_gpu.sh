profdump demo.prof
