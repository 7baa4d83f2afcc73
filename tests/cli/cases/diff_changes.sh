# A wait that was removed is in the default tables; no title of a column is there twice
cp "$TRACES"/diff/*.prof .
profdump diff plain.prof plain_nowait.prof --rows 2
for by in path call; do
    profdump diff base.prof slow.prof --group-by $by | grep '^Name' | sed 's/   */\n/g' | sort | uniq -d
    profdump diff base.prof slow.prof --group-by $by --format csv | head -1 | tr , '\n' | sort | uniq -d
done
