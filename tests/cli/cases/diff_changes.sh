# A wait that was removed is in the default tables; no title of a column is there twice; the page names both files
cp "$TRACES"/diff/*.prof .
profdump diff plain.prof plain_nowait.prof --rows 2
for by in path call; do
    profdump diff base.prof slow.prof --group-by $by | grep '^Name' | sed 's/   */\n/g' | sort | uniq -d
    profdump diff base.prof slow.prof --group-by $by --format csv | head -1 | tr , '\n' | sort | uniq -d
done
mkdir before after && cp plain.prof before/run.prof && cp plain_nowait.prof after/run.prof
profdump diff plain.prof plain_nowait.prof -o files.html && grep -o '<title>.*</title>' files.html
profdump diff "$PWD/before/run.prof" "$PWD/after/run.prof" --names main,branch -o files.html && grep -o '<title>.*</title>' files.html
profdump diff before after -o files.html && grep -o '<title>.*</title>' files.html
profdump diff plain.prof plain.prof -o files.html && grep -o '<title>.*</title>' files.html
