profdump cpu.prof
