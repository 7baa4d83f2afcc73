# P4: framework tax of executions and of ranges.
cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump executorch tax execute.etprof run.etdp
profdump executorch tax --target-time-scale us demo.prof
profdump executorch tax --range forward --format tsv demo.prof
profdump executorch tax --format csv execute.etprof demo.prof
profdump executorch tax --format csv --target-time-scale us execute.etprof
profdump executorch tax --format json execute.etprof
profdump executorch tax cpu.prof
