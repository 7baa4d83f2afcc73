# I3: columns and units
cp "$TRACES"/*.et* "$TRACES"/*.bin .
profdump blocks --format tsv execute.etprof
profdump blocks --format csv --units run.etdp
profdump blocks --format json execute.etprof | tee blocks.json
python3 -m json.tool blocks.json >/dev/null && echo strict
