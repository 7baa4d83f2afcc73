profdump --sort speed demo.prof
