# I3: columns and units
cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump executorch blocks --format tsv execute.etprof
profdump executorch blocks --format csv --units run.etdp
profdump executorch blocks --format json execute.etprof | tee blocks.json
python3 -m json.tool blocks.json >/dev/null && echo strict
