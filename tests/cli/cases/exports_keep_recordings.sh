# No output replaces an input or a recording, whatever name it is given.
cp rank0.prof kept.prof
cp kept.prof packed && gzip packed
ln kept.prof hard && ln -s kept.prof soft
for format in chrome html perfetto sqlite arrow svg pprof speedscope prometheus etprof; do
    profdump --$format kept.prof; echo "exit $?"
    for output in ./kept.prof hard soft; do
        profdump --$format $output; echo "$output: exit $?"
    done 2>/dev/null
    profdump --$format kept.prof kept.prof 2>/dev/null; echo "its input: exit $?"
    profdump --$format=kept.prof demo.prof 2>/dev/null; echo "another recording: exit $?"
    cmp kept.prof rank0.prof || exit 9
done 2>&1 | grep -v "^Try 'profdump --help'"

# Inputs that do not look like recordings: a Chrome trace, one that is found in a directory, one that is found here.
profdump --chrome a.json demo.prof && cp a.json b.json && ln -s a.json a.link
mkdir runs && cp a.json runs/a.prof
for output in a.json ./a.json a.link; do
    profdump --html $output a.json; echo "exit $?"
    profdump --chrome $output b.json a.json; echo "exit $?"
    profdump augment a.json $output; echo "exit $?"
    profdump combine a.json b.json $output; echo "exit $?"
    profdump combine --compat a.json b.json $output; echo "exit $?"
done 2>&1 | grep -v "^Try 'profdump --help'"
profdump --svg runs/a.prof runs; echo "exit $?"
(cd runs && profdump --svg a.prof; echo "exit $?")
cmp a.json b.json && cmp b.json runs/a.prof && echo "they are as they were"

profdump diff demo.prof cpu.prof --html cpu.prof; echo "exit $?"
profdump augment a.json kept.prof; echo "exit $?"
profdump combine a.json b.json kept.prof; echo "exit $?"
profdump --chrome out.json demo.prof --perf-map a.json --html a.json; echo "exit $?"
profdump --chrome - kept.prof >>kept.prof; echo "exit $?"
profdump kept.prof >>kept.prof; echo "exit $?"
profdump --json demo.prof >>kept.prof; echo "exit $?"
cmp kept.prof rank0.prof
if profdump packed.gz >/dev/null 2>&1; then
    profdump --chrome packed.gz demo.prof; echo "exit $?"
    gzip -dc packed.gz | cmp - kept.prof
else # this profdump reads no gzip
    echo "profdump: --chrome packed.gz: would overwrite a recording; name another file, as in 'profdump --chrome out.json packed.gz'" >&2
    echo "Try 'profdump --help'." >&2
    echo "exit 2"
fi

# Files that are not recordings are replaced; devices and pipes are written directly.
echo old >out.svg && profdump --svg out.svg demo.prof && head -c 4 out.svg; echo
mkfifo pipe
profdump --svg pipe demo.prof & head -c 4 pipe; echo; wait $!; echo "exit $?"
for output in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    profdump --svg $output demo.prof | cmp - out.svg && echo same
done
ls -A | grep -v '\.\(prof\|etprof\|bin\|etdp\)$'
