for trace in *.prof; do
    profdump --chrome "$trace.json" "$trace" && python3 "$CASES/../write/check_trace.py" "$trace.json" && echo "$trace ok"
done
profdump --chrome merged.json rank0.prof rank1.prof && python3 "$CASES/../write/check_trace.py" --summary merged.json
