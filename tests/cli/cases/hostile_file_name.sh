profdump $'no\033[31msuch\nfile.prof'
