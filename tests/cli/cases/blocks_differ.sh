# P3 defect 7, iterations that differ: ExecuTorch's sentences with --compat; else block, iteration and offset.
cp "$TRACES"/*.et* "$TRACES"/*.bin .
for file in differ_*.etprof; do
    profdump blocks --compat "$file"
    echo "exit $?"
    profdump blocks "$file" >shown
    echo "exit $?, $(grep -c iteration shown) blocks"
done
profdump blocks differ_name.etprof
