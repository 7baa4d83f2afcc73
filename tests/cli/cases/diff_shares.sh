# No share exceeds 100 %, and the heading says of what it is
cp "$TRACES"/diff/*.prof .
for pair in "base.prof slow.prof" "base.prof cpu.prof" "hostile.prof slow.prof"; do
    profdump diff $pair --json | python3 -c '
import json, sys
for table in json.load(sys.stdin)["tables"]:
    shares = [row["share"] for row in table["rows"]]
    assert all(share is None or 0 <= share <= 1 for share in shares), shares'
done
profdump diff base.prof slow.prof --totals | grep '^By .*change'
