# For programs: all rows, plain numbers; JSON is strict
cp "$TRACES"/diff/*.prof .
profdump diff base.prof slow.prof --format tsv --group-by kernel
profdump diff base.prof slow.prof --format csv --group-by api
profdump diff base.prof slow.prof --format json | tee diff.json
python3 -m json.tool diff.json >/dev/null && echo strict
profdump diff base.prof cpu.prof --json | python3 -c 'import json, sys; json.load(sys.stdin, parse_constant=lambda word: sys.exit(word))' && echo strict
profdump diff base.prof slow.prof --format markdown --rows 2 --fail-if-slower 1.5x
CLICOLOR_FORCE=1 profdump diff base.prof slow.prof --group-by kernel | cat -v | tail -4
