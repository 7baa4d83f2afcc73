# As gzip, the same bytes each time; without zlib it is refused by name.
if profdump -o out.pb.gz demo.prof 2>error.txt; then
    profdump -o again.pb.gz demo.prof && cmp out.pb.gz again.pb.gz
    gzip -dc out.pb.gz | grep -a -o 'nanoseconds' | head -1
else
    grep -q 'not supported' error.txt && [ ! -e out.pb.gz ] && echo nanoseconds
fi
profdump -o no/such/file --to pprof demo.prof 2>/dev/null || echo "unwritable"
