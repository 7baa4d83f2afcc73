# No all-clear where what was open may be in what the file lacks.
patch_byte() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
head -c 65536 killed.prof >cut.prof
profdump hang cut.prof; echo "exit $?"
profdump hang --fail-on any cut.prof; echo "exit $?"
cp cpu.prof running.prof && patch_byte running.prof 36 '\1' # the header's state: not closed
profdump hang --fail-on any running.prof; echo "exit $?"
patch_byte running.prof 256 '\7' # its first counter of lost events: the trace was full
profdump hang --fail-on any running.prof; echo "exit $?"
profdump hang --json running.prof | grep -o '"abstained":"[^"]*"'
