# Named baselines: saved as a whole, compared with, replaced only with --force; nothing is where nobody said
cp "$TRACES"/diff/*.prof .
unset PROF_BASELINES
try() {
    echo "== $*"
    profdump "$@" 2>&1
    echo "status $?"
}
try baseline save main base.prof
try diff --baseline main slow.prof
export PROF_BASELINES=kept
try baseline list
try baseline save main base.prof
try baseline list
find kept | sort
cmp base.prof kept/main/base.prof
try diff --baseline main --rows 0 --fail-on slower slow.prof
try baseline save main slow.prof
try baseline save --force main slow.prof
find kept | sort
try diff --baseline main --group-by kernel --rows 0 --fail-on slower slow.prof
mkdir runs && cp run?.prof runs && cp "$CASES/inputs/kineto.json" trace.json
try baseline save several runs trace.json
find kept/several | sort
try diff --baseline several --rows 0 --baselines kept trace.json | grep -E 'Verdict|==|runs|status'
try diff --baseline mian --rows 0 slow.prof
try diff --baseline main base.prof slow.prof
try diff --baseline main --baselines nowhere slow.prof
try baseline save broken missing.prof
head -c 70000 base.prof >cut.prof
try baseline save broken cut.prof
mkdir empty
try baseline save broken empty
for name in a/b .hidden '' .. -x $'a\033b'; do
    try baseline save --force -- "$name" base.prof
done
try baseline save 'with "quotes" and spaces' base.prof
try baseline save file base.prof --baselines base.prof
try baseline save
try baseline
try baseline list --baselines nowhere
touch kept/plain
try baseline save plain base.prof
try baseline list
ls -a kept
