# A trace without allocations is no error.
profdump memory cpu.prof
profdump memory --json cpu.prof
