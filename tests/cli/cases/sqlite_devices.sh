# A device that the file does not know is not device 0 in a database, and none there when that is read again.
cat >two.json <<'JSON'
{"traceEvents":[
{"ph":"X","cat":"cuda_runtime","name":"call","pid":100,"tid":1,"ts":0,"dur":1,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"call","pid":100,"tid":1,"ts":2,"dur":1,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"k0","pid":0,"tid":7,"ts":10,"dur":9,"args":{"device":1,"context":1,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":30,"dur":9,"args":{"device":-1,"context":2,"stream":9,"correlation":2}}]}
JSON
profdump -o two.sqlite two.json
python3 -c '
import sqlite3
print(list(sqlite3.connect("two.sqlite").execute("SELECT deviceId, contextId FROM TARGET_INFO_CUDA_CONTEXT_INFO")))'
profdump check --ledger two.json >before.txt && profdump check --ledger two.sqlite | diff before.txt - && cat before.txt
