# A database is read from a pipe, too.
for file in *.sqlite *.nvvp; do
    profdump check "$file" >file.out 2>&1
    cat "$file" | profdump check - 2>&1 | sed "s,/dev/stdin,$file," >pipe.out
    cmp file.out pipe.out && echo "$file: the same"
done
