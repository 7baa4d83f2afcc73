# A report for a browser: of one recording and of two; what is damaged or cannot be written leaves nothing
cp "$TRACES"/diff/*.prof .
blocks() { grep -o '<script type="application/json" id="[^"]*"' "$1"; }
profdump --html out.html demo.prof; echo "exit $?"
blocks out.html
sed -n '/id="verdict"/,/<\/section>/p' out.html
profdump --html out.html --svg out.svg demo.prof; echo "exit $?"
profdump diff base.prof slow.prof --html diff.html; echo "exit $?"
blocks diff.html
profdump diff base.prof slow.prof --html diff.html --fail-if-slower 5%; echo "exit $?"
profdump diff base.prof slow.prof --html diff.html --by kernel --format tsv | head -2 | cut -f 1-3
profdump --html - hostile.prof | grep -c "$(printf '\033')"
profdump --html /dev/full demo.prof; echo "exit $?"
profdump --html no/such/folder.html demo.prof; echo "exit $?"
profdump diff base.prof slow.prof --html /dev/full; echo "exit $?"
profdump explain --html no.html demo.prof; echo "exit $?"
ls no.html 2>/dev/null
