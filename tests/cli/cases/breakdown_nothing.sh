# Without a device there is nothing to divide by: no share is made up.
profdump breakdown cpu.prof
profdump breakdown --json cpu.prof
