try() {
    profdump "$@" >out.txt; echo "exit $?, $(wc -c <out.txt) bytes: $*"
}
for time in 2h -1us 1us2 @ @1us @-5 @99999999999999999999 1e30s now; do try --from "$time" demo.prof; done
try --from 2us --to 1us demo.prof
try --from 2us --to 2us demo.prof
try --to 0 demo.prof
try --from @1700000000000000005 --to @1700000000000000004 demo.prof
try --from @1700000000000000005 --to 1ns demo.prof
try --from 1s demo.prof
try --to @5 demo.prof
try --window 0 demo.prof
try --window two demo.prof
try --window 3 demo.prof
try --steps 5 demo.prof
try --steps 2-1 demo.prof
try --steps 1-x demo.prof
try --steps '' demo.prof
try --from 1us --steps 1 demo.prof
try --window 1 --steps 1 demo.prof
try augment --from 1us in.json out.json
try combine --from 1us a.json b.json c.json
try analyze --compat --from 1us demo.prof
try blocks --compare x.etdp --from 1us demo.prof
try diff --from 1s demo.prof cpu.prof
try --svg no.svg --from 1s demo.prof
try --svg part.svg --html part.html --to 1us demo.prof
