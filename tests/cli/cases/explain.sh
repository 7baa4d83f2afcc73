profdump explain demo.prof
