# The calls of a range as iterations.
profdump blocks --range ProfilerStep* --target-time-scale us demo.prof
profdump blocks --range forward --format tsv demo.prof
profdump blocks --range none demo.prof
