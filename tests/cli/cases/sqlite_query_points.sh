# What is wrong with a statement: the nearest name, and a line that points at the place
ask() {
    profdump query "$@" no-such-file.prof
    echo "exit $?" >&2
}
ask "SELECT nme FROM kernels"
ask "SELECT name FROM kernles"
ask "SELECT name, 'nme' AS nme2, \"kernles\" FROM kernels -- nme
WHERE kernels.duratoin > 5"
ask "SELECT name FORM kernels"
ask "SELECT medain(duration) FROM kernels"
ask "SELECT k.nmae FROM kernels AS k"
ask "SELECT quite_a_long_name_1 + 1 AS quite_a_long_name_2, 'and more words that fill up all of the line', durations FROM kernels"
ask "SELECT duration, start, \"end\", id, stream, device, name, 'words that fill up all of the line', durations FROM kernels WHERE id > 5 AND id < 77 AND stream = 7"
ask "SELECT 'größe', 'Ω', nme FROM kernels"
ask $'SELECT \'\033[31m\', \'a\tb\', nme FROM kernels'
ask "SELECT"
ask ")"
ask "/* a comment */ -- and one
  ; SELECT x y z FROM kernels"
profdump query --schema --format json | python3 -c '
import json, sys
schema = json.load(sys.stdin)
kernels = next(table for table in schema["tables"] if table["name"] == "kernels")
column = next(column for column in kernels["columns"] if column["name"] == "duration")
print(kernels["description"], column, [function["usage"] for function in schema["functions"]])
text = open(sys.argv[1]).read()
for name in (table["name"] for table in schema["tables"]):
    assert f"### {name}\n" in text, name
' "$CASES/../../docs/query.md"
