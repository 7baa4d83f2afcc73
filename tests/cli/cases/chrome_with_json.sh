profdump --chrome out.json --json cpu.prof | head -c 10
echo
ls out.json
