# The tables of ExecuTorch's parser, and the columns of its Inspector.
cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump blocks --compat execute.etprof
profdump tax --compat execute.etprof
profdump memory --compat execute.etprof
profdump blocks --compat --source-time-scale cycles execute.etprof | head -7
profdump blocks --compat --units run.etdp
# P3 defect 4: a later block with fewer iterations
(tail -c +329 execute.etprof && head -c 328 execute.etprof) >fewer.etprof
profdump blocks --compat fewer.etprof | grep -A 4 ' load '
