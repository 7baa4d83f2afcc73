cat >limits.ini <<'END'
# nothing is worth telling
least_share = 1
END
profdump explain --limits limits.ini demo.prof
