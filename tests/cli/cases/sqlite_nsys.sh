profdump nsys.sqlite
