cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump executorch blocks --compare reference.etdp:reference.bin --debug-buffer run.bin run.etdp
profdump executorch blocks --compare reference.etdp run.etdp
profdump executorch blocks --compare reference.etdp:reference.bin --debug-buffer run.bin --format json run.etdp
profdump executorch blocks --compare none.etdp run.etdp
echo "exit $?"
profdump executorch blocks --compare reference.etdp --debug-buffer none.bin run.etdp
echo "exit $?"
