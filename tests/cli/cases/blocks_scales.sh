# P5: scales
cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump blocks --source-time-scale us --target-time-scale s --block load execute.etprof
profdump blocks --source-time-scale cycles --block load execute.etprof
profdump blocks --source-time-scale cycles --target-time-scale ms execute.etprof
echo "exit $?"
profdump blocks --compat --target-time-scale cycles run.etdp
echo "exit $?"
profdump blocks --source-time-scale hours execute.etprof
echo "exit $?"
profdump blocks --format xml execute.etprof
echo "exit $?"
