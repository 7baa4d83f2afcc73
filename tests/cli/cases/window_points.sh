# A trace whose first event comes after an earlier one in time: its own time 0 is not where the recording begins.
cat >early.json <<'JSON'
{"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"second","pid":1,"tid":1,"ts":5000.0,"dur":100},
{"ph":"X","cat":"cpu_op","name":"first","pid":1,"tid":1,"ts":1.0,"dur":100},
{"ph":"X","cat":"cpu_op","name":"third","pid":1,"tid":1,"ts":6002.001,"dur":100}]}
JSON
for from in 0ms 0 6.001ms 6.001001ms 6001001ns 6001.0010001us 6.0011e0ms .0060010004s; do
    echo "$from: $(profdump --format csv --window "$from.." early.json | grep -c 'first\|second\|third')"
done
# Decimals are not cut: 1.001ms is 1,001,000 ns, of which no double is exactly the product.
for from in 1.001ms 1.0010000001ms; do profdump --json --window $from.. early.json | grep -o '"window":{[^}]*}'; done
for wrong in 5 1.5 -1ms 1.2.3ms 1e99s ms 0x10 nan 1e1000000000ms; do profdump --window=$wrong.. early.json; done
# Of several recordings, time 0 is where the first one begins, and another may begin before it.
sed 's/"ts":/"ts":9/' early.json >late.json
profdump --window 0ms.. --format csv late.json early.json | grep -c 'first\|second\|third'
