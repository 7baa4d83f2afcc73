profdump explain cpu.prof
