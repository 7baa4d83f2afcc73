head -c 20000 nsys.sqlite >cut.sqlite
profdump cut.sqlite
echo "exit $?"
profdump --partial check cut.sqlite
