# P3 defect 7, iterations that differ: ExecuTorch's sentences with --compat; else block, iteration and offset.
cp "$TRACES"/*.et* "$TRACES"/*.bin .
for file in differ_*.etprof; do
    profdump executorch blocks --compat "$file"
    echo "exit $?"
    profdump executorch blocks "$file" >shown
    echo "exit $?, $(grep -c iteration shown) blocks"
done
profdump executorch blocks differ_name.etprof
