profdump --help
