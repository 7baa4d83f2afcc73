# Names of other profilers are whole in every output that tells rows apart by them, however long they are.
long=$(printf 'x%.0s' {1..5000})
cat >trace.json <<END
{"traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "${long}a", "pid": 1, "tid": 1, "ts": 0, "dur": 1},
{"ph": "X", "cat": "user_annotation", "name": "${long}b", "pid": 1, "tid": 1, "ts": 2, "dur": 2},
{"ph": "X", "cat": "user_annotation", "name": "${long}b", "pid": 1, "tid": 1, "ts": 5, "dur": 2}
]}
END
short() { sed 's/xxxx*/X/'; }
profdump --format tsv trace.json | cut -f1,4 | short
profdump -o - --to folded trace.json | short
profdump query "SELECT name, count(*) FROM slices GROUP BY 1" --format tsv trace.json | short
