# P5: scales
cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump executorch blocks --source-time-scale us --target-time-scale s --block load execute.etprof
profdump executorch blocks --source-time-scale cycles --block load execute.etprof
profdump executorch blocks --source-time-scale cycles --target-time-scale ms execute.etprof
echo "exit $?"
profdump executorch blocks --compat --target-time-scale cycles run.etdp
echo "exit $?"
profdump executorch blocks --source-time-scale hours execute.etprof
echo "exit $?"
profdump executorch blocks --format xml execute.etprof
echo "exit $?"
