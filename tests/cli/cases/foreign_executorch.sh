# Files of ExecuTorch in the other outputs: the summary, the table, the timeline, prof buffers again.
cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump run.etdp | head -4
profdump check execute.etprof run.etdp
profdump memory execute.etprof
profdump -o again.etprof execute.etprof
profdump executorch blocks --format tsv execute.etprof >first
profdump executorch blocks --format tsv again.etprof >second
cut -f 1-17 first >first.cut
cut -f 1-17 second >second.cut
cmp first.cut second.cut && echo same
head -c 700 execute.etprof >cut.etprof
profdump executorch blocks cut.etprof
echo "exit $?"
profdump executorch blocks --partial cut.etprof
echo "exit $?"
