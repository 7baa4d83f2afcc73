profdump breakdown demo.prof
