# P4: framework tax of executions and of ranges.
cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump tax execute.etprof run.etdp
profdump tax --target-time-scale us demo.prof
profdump tax --range forward --format tsv demo.prof
profdump tax --format csv execute.etprof demo.prof
profdump tax --format csv --target-time-scale us execute.etprof
profdump tax --format json execute.etprof
profdump tax cpu.prof
