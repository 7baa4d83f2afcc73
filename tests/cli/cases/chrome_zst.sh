# Written as zstd does, and read again; where libzstd is missing, the line says so and nothing is written.
profdump --chrome plain.json demo.prof
if profdump --chrome out.json.zst demo.prof 2>error.txt; then
    [ "$(profdump --json out.json.zst | sed 's/"file":"[^"]*"//')" = "$(profdump --json plain.json | sed 's/"file":"[^"]*"//')" ] &&
        echo "reads back"
    head -c 4 out.json.zst | od -An -tx1
    ln -s /dev/full full.zst
    profdump --chrome full.zst demo.prof 2>/dev/null || echo "unwritable"
else
    grep -q 'not supported' error.txt && [ ! -e out.json.zst ] && echo "reads back" && echo " 28 b5 2f fd" && echo "unwritable"
fi
