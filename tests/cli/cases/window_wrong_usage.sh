try() {
    profdump "$@" >out.txt; echo "exit $?, $(wc -c <out.txt) bytes: $*"
}
for time in 2h -1us 1us2 @ @1us @-5 @99999999999999999999 1e30s now; do try --window "$time.." demo.prof; done
try --window 2us..1us demo.prof
try --window 2us..2us demo.prof
try --window ..0 demo.prof
try --window @1700000000000000005..@1700000000000000004 demo.prof
try --window @1700000000000000005..1ns demo.prof
try --window 1s.. demo.prof
try --window ..@5 demo.prof
try --window on:0 demo.prof
try --window on:two demo.prof
try --window on:3 demo.prof
try --window step:5 demo.prof
try --window step:2-1 demo.prof
try --window step:1-x demo.prof
try --window step: demo.prof
try --window 1us.. --window step:1 demo.prof
try --window on:1 --window step:1 demo.prof
try pytorch augment --window 1us.. in.json out.json
try pytorch combine --window 1us.. a.json b.json c.json
try pytorch roofline --window 1us.. demo.prof
try executorch blocks --compare x.etdp --window 1us.. demo.prof
try diff --window 1s.. demo.prof cpu.prof
try -o no.svg --window 1s.. demo.prof
try -o part.svg -o part.html --window ..1us demo.prof
# a time needs a unit, and a window its dots
for spec in 5.. 0..5 .. 5ms step 0 on:; do try --window $spec demo.prof; done
