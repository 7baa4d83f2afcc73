touch -d '2030-01-01' cpu.prof
profdump | head -1
mkdir empty && cd empty && profdump
