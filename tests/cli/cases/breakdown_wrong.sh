profdump breakdown --table nothing demo.prof
profdump breakdown --kernel-wait soon demo.prof
profdump breakdown --queue-full 0 demo.prof
