profdump --fail-on-loss demo.prof >/dev/null; echo "clean: exit $?"
profdump --fail-on-loss lossy.prof >/dev/null; echo "lossy: exit $?"
profdump --fail-on-loss --json lossy.prof >/dev/null; echo "lossy: exit $?"
profdump --fail-on-loss --chrome x.json lossy.prof; echo "lossy: exit $?"; ls x.json
profdump lossy.prof >/dev/null; echo "not asked: exit $?"
