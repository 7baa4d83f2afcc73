for option in --group-by=names --group-by=stack:0 --group-by=stack:x --group-by= --columns=p95 --time-unit=h \
    --name-width=7 --name-width=99999 --depth=0 --metric=cpu; do
    profdump $option demo.prof
    echo "$option: $?"
done
profdump --columns memory --tree demo.prof
echo "--columns memory with --tree: $?"
