for option in --type=f17 --type= --by=colour --sort=cuda_total --sort=nonsense --device-rates=; do
    profdump analyze $option "$CASES/inputs/analyze.json"
    echo "$option: $?"
done
profdump --sort tflops demo.prof
echo "--sort tflops of the table: $?"
profdump analyze --chrome out.json "$CASES/inputs/analyze.json"
echo "--chrome: $?"
