printf "{\"traceEvents\": [{\"ph\": X}]}" >bad.json
profdump bad.json; echo "exit $?"
printf "{\"answer\": 42}" >other.json
profdump other.json; echo "exit $?"
