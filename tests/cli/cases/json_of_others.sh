# The JSON that no other case prints, and the schemas of all.
profdump hang --json rank0.prof rank1.prof
profdump check --json lossy.prof
profdump check --format markdown lossy.prof
profdump check --ledger --fail-on any lossy.prof; echo "exit $?"
profdump explain --rules --fail-on any; echo "exit $?"
profdump query --schema --json | grep -o '"command":"query_schema"\|^"truncated":.*'
profdump stacks --cpu --json demo.prof
profdump stacks --cpu --functions --json demo.prof
profdump schema
profdump schema query; echo "exit $?"
profdump schema explian; echo "exit $?"
profdump schema explain diff; echo "exit $?"
