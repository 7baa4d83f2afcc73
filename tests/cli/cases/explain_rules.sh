profdump explain --rules
profdump explain --rules --json | python3 -m json.tool >/dev/null && echo valid
