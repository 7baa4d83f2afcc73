profdump --chrome out.json memory.prof && python3 "$CASES/../write/check_trace.py" --summary out.json
grep -c '"\[memory\]"' out.json
