# Tables that have to fit a terminal: names are cut, then columns are left out, and a line names them.
for width in 60 80 100; do
    echo "== $width"
    profdump --table-width $width --rows 5 demo.prof
done
profdump --table-width 100 --tree demo.prof | sed -n '/^---/,$p'
profdump --table-width 80 --kind kernels --columns p99 demo.prof | sed -n '/^---/,/Left/p'
profdump --table-width 90 --group-by name,path demo.prof | sed -n '/^---/,/Left/p'
profdump --table-width 100 roofline demo.prof
profdump --table-width 100 breakdown --table kernels demo.prof
profdump --table-width 100 diff demo.prof nvtx.prof --rows 3
# not in formats for programs
profdump --table-width 60 --format tsv demo.prof >narrow.tsv
profdump --format tsv demo.prof | cmp - narrow.tsv
# COLUMNS has no effect without a terminal
COLUMNS=60 profdump demo.prof >columns.txt
profdump --table-width 0 demo.prof | cmp - columns.txt
for width in '' -1 x 65536; do profdump --table-width "$width" demo.prof; done
