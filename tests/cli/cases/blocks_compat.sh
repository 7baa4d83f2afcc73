# The tables of ExecuTorch's parser, and the columns of its Inspector.
cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump executorch blocks --compat execute.etprof
profdump executorch tax --compat execute.etprof
profdump executorch memory execute.etprof
profdump executorch blocks --compat --source-time-scale cycles execute.etprof | head -7
profdump executorch blocks --compat --units run.etdp
# P3 defect 4: a later block with fewer iterations
(tail -c +329 execute.etprof && head -c 328 execute.etprof) >fewer.etprof
profdump executorch blocks --compat fewer.etprof | grep -A 4 ' load '
