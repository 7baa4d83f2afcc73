profdump roofline cpu.prof
echo "no kernels: $?"
profdump roofline --json cpu.prof
echo "no kernels, JSON: $?"
printf '[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"stream":7}}]' >array.json
profdump roofline array.json
echo "nothing but a kernel: $?"
echo hello >text.prof
profdump roofline text.prof
echo "no trace: $?"
