# --fail-on: 4 found, 5 cannot be judged, 0 judged and not found, 2 unknown names; the same for every command
cp "$TRACES"/diff/*.prof .
try() {
    echo "== $*"
    profdump "$@" 2>said >/dev/null
    local status=$?
    sed -E 's/(not one of any, [a-z-]+), .*, ([a-z-]+)/\1, ..., \2/' said
    echo "status $status"
}
try explain --fail-on any demo.prof
try explain --fail-on tiny-kernels,gpu-idle-launch-bound demo.prof
try explain --fail-on no-such demo.prof
try explain --fail-on tiny-kernel demo.prof
try explain --fail-on '' demo.prof
try explain --fail-on $'a\033"b' demo.prof
try explain --rule tiny-kernels --fail-on losses,small-copies demo.prof
printf '[tiny-kernels]\nenabled = no\n' >limits.ini
try explain --limits limits.ini --fail-on tiny-kernels demo.prof
try check --fail-on any demo.prof
try check demo.prof
for trace in cpu.prof lossy.prof failing.prof killed.prof; do
    try explain --fail-on any $trace
done
try explain --rule tiny-kernels --fail-on any cpu.prof
try explain --fail-on tiny-kernels --fail-on-loss cpu.prof
try explain --fail-on failed-calls failing.prof
try explain --fail-on failed-calls,losses demo.prof
try explain --fail-on low-occupancy demo.prof
try explain --fail-on low-occupancy --fail-on-loss lossy.prof
head -c 70000 demo.prof >cut.prof
echo '[{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":7,"tid":8,"ts":1,"dur":2}]' >host.json
try check cut.prof
try check --fail-on error cut.prof
try check --fail-on any cut.prof
try check --fail-on truncated,damage cut.prof
try check --fail-on names cut.prof
try check missing.prof
try check --fail-on any --fail-on-loss missing.prof
try check --fail-on ok demo.prof
try hang --fail-on any demo.prof
try hang --fail-on any killed.prof
try hang --fail-on lost,open killed.prof
try hang --fail-on deadlock killed.prof
try hang --fail-on deadlock cut.prof
try hang --fail-on any cut.prof
try hang --fail-on stuck demo.prof
try diff --fail-on slower base.prof slow.prof
try diff --fail-on faster base.prof slow.prof
try diff --fail-on any slow.prof base.prof
try diff --fail-on any base.prof base.prof
try diff --fail-on any base.prof noisy.prof
try diff --fail-on any base.prof demo.prof
for what in auto steps wall device host kernel; do
    try diff --fail-on $what base.prof slow.prof
done
try explain --fail-on low-occupancy,tiny-kernels cpu.prof
try hang --fail-on any host.json
try hang --fail-on unmatched,open host.json
try diff --fail-if-slower 50% --fail-on slower base.prof slow.prof
try diff --fail-if-slower 5% --fail-on faster base.prof slow.prof
