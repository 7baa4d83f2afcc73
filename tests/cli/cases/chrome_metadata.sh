# Members for the top-level object; here they replace libprof's distributedInfo. Anything but an object is an error.
echo '{"trace_id": "x=1", "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}, "sizes": [1, 2]}' >more.json
profdump --chrome out.json --metadata more.json demo.prof
echo "exit $?"
sed -n '/"trace_id"/,/"host_name"/p' out.json
python3 -c 'import json; print(json.load(open("out.json"))["distributedInfo"])'
profdump --to tensorboard -o out.pt --metadata more.json demo.prof >out.txt && grep -c '"sizes": \[1, 2\]' out.pt
for text in '' '[1]' '{"a": 1' '{"a": 01}'; do
    printf '%s' "$text" >bad.json
    profdump --chrome bad.out --metadata bad.json demo.prof
    echo "exit $?"
done
profdump --chrome bad.out --metadata no.json demo.prof
echo "exit $?"
profdump --metadata more.json demo.prof
echo "exit $?"
[ -e bad.out ] || echo none
