# No output replaces an input or a recording, whatever name it is given.
cp rank0.prof kept.prof
cp kept.prof packed && gzip packed
ln kept.prof hard && ln -s kept.prof soft
for format in chrome html perfetto sqlite arrow svg pprof speedscope prometheus etprof folded csv; do
    profdump -o kept.prof --to $format; echo "exit $?"
    for output in ./kept.prof hard soft; do
        profdump -o $output --to $format; echo "$output: exit $?"
    done 2>/dev/null
    profdump -o kept.prof --to $format kept.prof 2>/dev/null; echo "its input: exit $?"
    profdump --to=$format -okept.prof demo.prof 2>/dev/null; echo "another recording: exit $?"
    cmp kept.prof rank0.prof || exit 9
done 2>&1 | grep -v "^Try 'profdump .*--help'"

# Inputs that do not look like recordings: a Chrome trace, one that is found in a directory, one that is found here.
profdump --chrome a.json demo.prof && cp a.json b.json && ln -s a.json a.link
mkdir runs && cp a.json runs/a.prof
for output in a.json ./a.json a.link; do
    profdump -o $output --to html a.json; echo "exit $?"
    profdump --chrome $output b.json a.json; echo "exit $?"
    profdump pytorch augment a.json $output; echo "exit $?"
    profdump pytorch combine a.json b.json $output; echo "exit $?"
done 2>&1 | grep -v "^Try 'profdump .*--help'"
profdump -o runs/a.prof --to svg runs; echo "exit $?"
(cd runs && profdump -o a.prof --to svg; echo "exit $?")
cmp a.json b.json && cmp b.json runs/a.prof && echo "they are as they were"

profdump diff demo.prof cpu.prof -o cpu.prof --to html; echo "exit $?"
profdump pytorch augment a.json kept.prof; echo "exit $?"
profdump pytorch combine a.json b.json kept.prof; echo "exit $?"
profdump --chrome out.json demo.prof --perf-map a.json -o a.json --to html; echo "exit $?"
profdump --chrome - kept.prof >>kept.prof; echo "exit $?"
profdump kept.prof >>kept.prof; echo "exit $?"
profdump --json demo.prof >>kept.prof; echo "exit $?"
cmp kept.prof rank0.prof
if profdump packed.gz >/dev/null 2>&1; then
    profdump --chrome packed.gz demo.prof; echo "exit $?"
    gzip -dc packed.gz | cmp - kept.prof
else # this profdump reads no gzip
    echo "profdump: -o packed.gz: would overwrite a recording; name another file, as in 'profdump -o out.json packed.gz'" >&2
    echo "Try 'profdump --help'." >&2
    echo "exit 2"
fi

# Files that are not recordings are replaced; devices and pipes are written directly.
echo old >out.svg && profdump -o out.svg demo.prof && head -c 4 out.svg; echo
mkfifo pipe
profdump -o pipe --to svg demo.prof & head -c 4 pipe; echo; wait $!; echo "exit $?"
for output in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    profdump -o $output --to svg demo.prof | cmp - out.svg && echo same
done
ls -A | grep -v '\.\(prof\|etprof\|bin\|etdp\)$'
