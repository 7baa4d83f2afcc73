cat >limits.ini <<'END'
# nothing is worth telling
least_share = 1
END
profdump explain --limits limits.ini demo.prof
profdump explain --format markdown --limits limits.ini demo.prof | tail -n 7
