# Each mistake is said, and ends with 2; inputs that cannot be read with 1
cp "$TRACES"/diff/*.prof .
try() {
    profdump diff "$@"
    echo "status $?"
}
mkdir empty
try
try base.prof
try base.prof slow.prof demo.prof
try base.prof slow.prof --names one
try base.prof slow.prof --names a,b,c
try base.prof slow.prof --names ,b
try base.prof slow.prof --names same,same
try base.prof slow.prof --group-by colour
try base.prof slow.prof --fail-if-slower 5
try base.prof slow.prof --fail-if-slower nan%
try base.prof slow.prof --fail-if-slower 0.9x
try base.prof slow.prof --fail-if-slower 0x10%
try base.prof slow.prof --judge luck
try base.prof slow.prof --resamples 7
try base.prof slow.prof --confidence 100
try base.prof slow.prof --format yaml
profdump pytorch diff base.prof slow.prof; echo "status $?"
try base.prof missing.prof
try missing.prof empty
try plain.prof base.prof --per-step
