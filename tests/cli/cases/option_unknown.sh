profdump --frobnicate demo.prof
