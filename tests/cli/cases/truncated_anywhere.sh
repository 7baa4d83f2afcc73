# One clear line that names the file, or an answer; never a crash.
size=$(stat -c %s demo.prof)
for cut in 0 1 7 8 64 4095 4096 4097 65535 65536 65600 70000 131071 131072 131100 $((size - 1)); do
    head -c "$cut" demo.prof >cut.prof
    profdump cut.prof >out 2>err; status=$?
    profdump --partial cut.prof >out2 2>err2; partial=$?
    [ $status -le 1 ] && [ $partial -le 1 ] || echo "$cut: exit $status, $partial"
    [ $status = 0 ] || [ "$(wc -l <err)" = 1 ] || { echo "$cut: not one line"; cat err; }
    [ $status = 0 ] || grep -q cut.prof err || { echo "$cut: does not name the file"; cat err; }
done
