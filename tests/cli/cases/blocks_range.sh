# The calls of a range as iterations.
profdump executorch blocks --range ProfilerStep* --target-time-scale us demo.prof
profdump executorch blocks --range forward --format tsv demo.prof
profdump executorch blocks --range none demo.prof
