profdump --chrome out.json nsys.sqlite && cat out.json
