profdump --version
profdump -V
