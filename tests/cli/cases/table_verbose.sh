# The accounts under the table in full; a recording without losses states them in one line otherwise.
profdump demo.prof | grep -E '^(Device|Ledger|GPU mode)'
echo "== in full"
profdump --verbose demo.prof | grep -E '^(Device|Ledger|GPU mode)'
