profdump graphs cpu.prof
