# Calls of two processes have one id, and nothing tells which of them launched an operation: it is counted, not assigned.
cat >equal.json <<'JSON'
{"traceEvents":[
{"ph":"X","cat":"cuda_runtime","name":"call","pid":100,"tid":1,"ts":0,"dur":1,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"call","pid":101,"tid":1,"ts":0,"dur":1,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"call","pid":101,"tid":1,"ts":2,"dur":1,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":9,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":15,"dur":9,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":25,"dur":9,"args":{"device":0,"stream":7,"correlation":2}}]}
JSON
profdump check --ledger equal.json
profdump --format json check --ledger equal.json | grep -o '"ambiguous":[0-9]*'
profdump check equal.json
profdump equal.json | tail -4
