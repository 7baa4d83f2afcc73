# One behind the other: ids collide, devices by id, members of the first.
cat >a.json <<'END'
{"deviceProperties": [{"id": 0, "name": "A"}, {"id": 0, "name": "twice"}], "first": [1, {"x": "\u00e9"}],
 "traceEvents": [{"name": "one", "ts": 1, "args": {"External id": 1}}]}
END
cat >b.json <<'END'
{"traceEvents": [{"name": "two", "ts": 1, "args": {"External id": 1}}], "second": 2,
 "deviceProperties": [{"name": "B", "id": 0}, {"id": 1, "name": "C"}, {"id": 1, "name": "D"}]}
END
profdump pytorch combine a.json b.json a.json out.json
cat out.json
profdump pytorch combine a.json b.json -
echo '{"traceEvents": []}' >none.json
profdump pytorch combine a.json none.json new.json
echo '{"traceEvents": [], "deviceProperties": [{"name": "no id"}]}' >nameless.json
profdump pytorch combine a.json nameless.json new.json
profdump pytorch combine a.json missing.json new.json
ls new.json
