# A collector reads the old file or the new one, and no half of it.
echo old >run.prom
profdump -o run.prom no_such.prof 2>/dev/null || cat run.prom
profdump -o run.prom demo.prof && grep -v '^#' run.prom | sed -E 's/version="[^"]*"/version="VERSION"/'
stat -c %a run.prom
profdump -o /dev/full --to prometheus demo.prof; echo "exit $?"
profdump -o no/such/file --to prometheus demo.prof; echo "exit $?"
ls -A | grep -v '\.\(prof\|etprof\|bin\|etdp\)$'
# Labels of the user's own, in place of ours where they have the name.
profdump -o run.prom --label job=train --label 'pid=a "b"' demo.prof && grep '^libprof_steps' run.prom
profdump -o run.prom --label job demo.prof; echo "exit $?"
profdump -o run.prom --label 1job=a demo.prof; echo "exit $?"
profdump -o run.prom --label device=a demo.prof; echo "exit $?"
profdump -o run.prom --label a=1 --label a=2 demo.prof; echo "exit $?"
profdump --label a=1 demo.prof; echo "exit $?"
