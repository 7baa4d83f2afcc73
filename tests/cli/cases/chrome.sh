profdump --chrome out.json demo.prof
echo "exit $?"
cat out.json
stat -c %a out.json
