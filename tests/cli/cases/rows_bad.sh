for rows in '' x 1x -2 99999999999999999999; do
    profdump --rows "$rows" demo.prof
    echo "exit $?"
done
