profdump check --ledger demo.prof
profdump check --ledger failing.prof
profdump check --ledger lossy.prof
profdump check --ledger killed.prof
# Nothing was launched.
profdump check --ledger cpu.prof
profdump check --ledger rank0.prof rank1.prof
profdump check failing.prof
