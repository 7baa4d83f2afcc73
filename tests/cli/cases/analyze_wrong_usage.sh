for option in --type=f17 --type= --group-by=colour --sort=cuda_total --sort=nonsense --device-rates=; do
    profdump roofline $option "$CASES/inputs/analyze.json"
    echo "$option: $?"
done
profdump --sort tflops demo.prof
echo "--sort tflops of the table: $?"
profdump roofline --chrome out.json "$CASES/inputs/analyze.json"
echo "--chrome: $?"
