# -o writes the table, too: its ending says how.
for ending in csv tsv txt md; do
    profdump -n 1 --sort count -o table.$ending demo.prof && echo "== $ending" && head -n 3 table.$ending
done
profdump -n 1 --sort count --csv demo.prof | cmp - table.csv
profdump export -o all.csv demo.prof && profdump --csv demo.prof | cmp - all.csv
profdump --kind kernels -o - --to csv demo.prof
profdump --tree --depth 1 -o tree.txt demo.prof && profdump --tree --depth 1 --format text demo.prof | cmp - tree.txt
profdump -o a.txt.csv demo.prof && cmp a.txt.csv all.csv
profdump --table-width 40 -o narrow.txt demo.prof && profdump --table-width 40 demo.prof | cmp - narrow.txt
profdump -n 1 -f tsv -o both.csv demo.prof && head -n 2 both.csv
if profdump --version | grep -q 'without zlib'; then
    echo "the same"
else
    profdump -o all.csv.gz demo.prof && gzip -dc all.csv.gz | cmp - all.csv && echo "the same"
fi
profdump -o nowhere/table.csv demo.prof
