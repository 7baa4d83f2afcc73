profdump ledger --json failing.prof
profdump ledger --fail-on-loss failing.prof >/dev/null
