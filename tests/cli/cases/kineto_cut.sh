head -c 900 "$CASES/inputs/kineto.json" >cut.json
profdump cut.json; echo "exit $?"
profdump --chrome out.json cut.json; echo "exit $?"; ls out.json
profdump --partial cut.json | tail -3; echo "exit $?"
