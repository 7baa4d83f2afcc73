echo old >out.json
profdump --chrome out.json no_such.prof
cat out.json
profdump --chrome out.json cpu.prof && head -c 1 out.json
echo
ls -A | grep -v '\.prof$'
