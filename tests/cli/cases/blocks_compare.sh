cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump blocks --compare reference.etdp:reference.bin --debug-buffer run.bin run.etdp
profdump blocks --compare reference.etdp run.etdp
profdump blocks --compare reference.etdp:reference.bin --debug-buffer run.bin --format json run.etdp
profdump blocks --compare none.etdp run.etdp
echo "exit $?"
profdump blocks --compare reference.etdp --debug-buffer none.bin run.etdp
echo "exit $?"
