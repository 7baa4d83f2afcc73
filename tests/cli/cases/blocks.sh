# Event blocks of libprof's own blocks, of prof buffers and of ETDumps.
cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump executorch blocks blocks.prof
profdump executorch blocks execute.etprof
profdump executorch blocks --target-time-scale us run.etdp
profdump executorch blocks --block load execute.etprof
profdump executorch blocks --event native_call_ --total-of native_call_add --block inference execute.etprof
profdump executorch blocks --block none execute.etprof
profdump executorch blocks demo.prof
