# Large ids of one kind in one trace, as addresses of ranges are, do not move the others out of reach.
call() { printf '{"ph":"X","cat":"cuda_runtime","name":"launch","pid":%s,"tid":7,"ts":10,"dur":5,"args":{"correlation":1}}' "$1"; }
kernel='{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":5,"args":{"correlation":1,"device":0,"stream":7}}'
range='"cat":"x","name":"range","pid":100,"tid":7,"id":"0x7fff12345678"}'
printf '[%s,%s,{"ph":"b","ts":1,%s,{"ph":"e","ts":2,%s]' "$(call 100)" "$kernel" "$range" "$range" >0.json
printf '[%s,%s]' "$(call 200)" "$kernel" >1.json
profdump -o out.json 0.json 1.json 0.json
grep -o '"correlation":.\|"id":"[^"]*"' out.json
profdump out.json | grep ^Ledger
# beside recordings, whose processes all count from 1
profdump rank0.prof rank1.prof 0.json --chrome out.json >out.txt
profdump --kind kernels --group-by name,process --format tsv out.json | cut -f1,10,11
profdump out.json | grep -A9 ^Ledger
