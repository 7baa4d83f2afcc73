profdump ledger demo.prof
profdump ledger failing.prof
profdump ledger lossy.prof
profdump ledger killed.prof
# Nothing was launched.
profdump ledger cpu.prof
profdump ledger rank0.prof rank1.prof
profdump check failing.prof
