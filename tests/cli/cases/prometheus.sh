# A collector reads the old file or the new one, and no half of it.
echo old >run.prom
profdump --prometheus run.prom no_such.prof 2>/dev/null || cat run.prom
profdump --prometheus run.prom demo.prof && grep -v '^#' run.prom | sed -E 's/version="[^"]*"/version="VERSION"/'
stat -c %a run.prom
profdump --prometheus /dev/full demo.prof; echo "exit $?"
profdump --prometheus no/such/file demo.prof; echo "exit $?"
ls -A | grep -v '\.\(prof\|etprof\|bin\|etdp\)$'
