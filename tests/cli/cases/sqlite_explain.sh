for database in *.sqlite *.nvvp *.db; do
    [ -e "$database" ] && profdump explain --rows 1 "$database"
done
true
