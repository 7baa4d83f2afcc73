# A report for a browser: of one recording and of two; what is damaged or cannot be written leaves nothing
cp "$TRACES"/diff/*.prof .
blocks() { grep -o '<script type="application/json" id="[^"]*"' "$1"; }
profdump -o out.html demo.prof; echo "exit $?"
blocks out.html
sed -n '/id="verdict"/,/<\/section>/p' out.html
profdump -o out.html -o out.svg demo.prof; echo "exit $?"
profdump diff base.prof slow.prof -o diff.html; echo "exit $?"
blocks diff.html
profdump diff base.prof slow.prof -o diff.html --fail-if-slower 5%; echo "exit $?"
profdump diff base.prof slow.prof -o diff.html --group-by kernel --format tsv | head -2 | cut -f 1-3
profdump -o - --to html hostile.prof | grep -c "$(printf '\033')"
profdump -o /dev/full --to html demo.prof; echo "exit $?"
profdump -o no/such/folder.html demo.prof; echo "exit $?"
profdump diff base.prof slow.prof -o /dev/full --to html; echo "exit $?"
profdump explain -o no.html demo.prof; echo "exit $?"
ls no.html 2>/dev/null
