profdump check --ledger --json failing.prof
profdump check --ledger --fail-on-loss failing.prof >/dev/null
