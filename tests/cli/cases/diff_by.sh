# Every table by itself, with all of its rows
cp "$TRACES"/diff/*.prof .
for by in kernel op range path call copy; do
    echo "== $by"
    profdump diff base.prof slow.prof --group-by $by | sed -n '/^By .*change/,$p'
done
cmp <(profdump diff base.prof slow.prof --group-by op) <(profdump diff base.prof slow.prof --group-by range) && echo the same
profdump diff base.prof slow.prof --group-by kernel --no-match | grep '^By kernel:'
