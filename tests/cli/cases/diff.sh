# Two runs, one twice as long and with another kernel: by step, by path and by kernel
cp "$TRACES"/diff/*.prof .
profdump diff base.prof slow.prof --names before,after
profdump diff base.prof slow.prof --totals --rows 1
profdump diff base.prof base.prof --group-by kernel
