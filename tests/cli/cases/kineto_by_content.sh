cp "$CASES/inputs/kineto.json" trace.dat
profdump trace.dat | tail -3
