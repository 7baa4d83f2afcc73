# A pipe gives what its file gives, but for the name, to every command and in every format.
alike() {
    sed 's,/dev/stdin\|demo\.prof\|trace\.json,NAME,g' "$1" >1
    sed 's,/dev/stdin\|demo\.prof\|trace\.json,NAME,g' "$2" >2
    cmp 1 2 && echo "$3: the same"
}
for command in stats check "check --ledger" explain breakdown stacks roofline memory graphs hang "query \"SELECT count(*) FROM slices\"" \
    "-o - --to chrome" "-o - --to pftrace" "--json"; do
    eval "profdump $command demo.prof" >file.out 2>file.err
    eval "cat demo.prof | profdump $command -" >pipe.out 2>pipe.err
    alike file.out pipe.out "$command"
    alike file.err pipe.err "$command, its messages"
done

# A Chrome trace, which is read in two ways: copied, and as a timeline.
profdump -o trace.json demo.prof
profdump -o copy.json trace.json
cat trace.json | profdump -o piped.json /dev/stdin
alike copy.json piped.json "a copied Chrome trace"
profdump trace.json >file.out
profdump <(cat trace.json) >pipe.out
alike file.out pipe.out "a Chrome trace"

# Two at once, one of them by name; standard input that is a file; one pipe named twice; a merge.
mkfifo named
cat demo.prof >named &
profdump diff <(cat demo.prof) named | sed -n '1,2s,/dev/fd/[0-9]*,PIPE,p'
profdump check - <demo.prof
cat demo.prof | profdump check - demo.prof /dev/stdin
cat demo.prof | profdump check - -

# No room, no directory, nothing, no trace; an output is no input.
cat demo.prof | TMPDIR=missing profdump check -
echo "status $?"
profdump check - <<<'no trace' 2>&1
printf '' | profdump check -
profdump check - <&-
profdump executorch tax - <blocks.prof | head -1
cat demo.prof | profdump -o - --to chrome /dev/stdout | wc -c
mkdir tmp
gzip -c demo.prof | TMPDIR=$PWD/tmp profdump check -
ls tmp
(
    ulimit -f 8
    trap '' XFSZ
    cat demo.prof | profdump check - 2>&1
) | sed 's,but .* has,but DIRECTORY has,'
