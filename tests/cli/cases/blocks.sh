# Event blocks of libprof's own blocks, of prof buffers and of ETDumps.
cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump blocks blocks.prof
profdump blocks execute.etprof
profdump blocks --target-time-scale us run.etdp
profdump blocks --block load execute.etprof
profdump blocks --event native_call_ --total-of native_call_add --block inference execute.etprof
profdump blocks --block none execute.etprof
profdump blocks demo.prof
