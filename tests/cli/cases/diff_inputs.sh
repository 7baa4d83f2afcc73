# What the two may be: directories, other formats, runs without anything to compare
cp "$TRACES"/diff/*.prof .
mkdir one two empty && cp rank0.prof rank1.prof one && cp rank0.prof two
profdump diff one two --group-by kernel
cp "$CASES/inputs/kineto.json" . && profdump diff base.prof kineto.json --group-by kernel
profdump diff cpu.prof cpu.prof --group-by kernel
profdump diff cpu.prof nvtx.prof --rows 0
profdump diff hostile.prof base.prof --format markdown --group-by range | cat -v
