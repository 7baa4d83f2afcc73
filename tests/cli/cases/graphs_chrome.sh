profdump --chrome out.json graphs.prof
grep -o "\"graph node id\".*" out.json
grep -c "missing operations" out.json
