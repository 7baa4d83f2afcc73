# A Kineto trace of calls whose kernels take known times: what bench prints of it, and what it refuses.
# calls NAME COUNT KERNEL...: calls of a range. A kernel is NAME:GRID:NS, where NS may be an expression of i.
calls() {
    awk -v range="$1" -v count="$2" -v kernels="${*:3}" -v at="$at" -v id="$id" 'BEGIN {
        n = split(kernels, of, " ")
        for (i = 0; i < count; i++) {
            printf ",\n{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"%s\",\"pid\":7,\"tid\":7,\"ts\":%d,\"dur\":100}", range, at
            start = at + 50
            for (k = 1; k <= n; k++) {
                split(of[k], part, ":")
                ns = part[3] ~ /\+/ ? part[3] + 100 * (i % 5) : part[3] ~ /\// ? (i < count / 2 ? part[3] + 0 : 2 * part[3]) : part[3]
                id++
                printf ",\n{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":7,\"tid\":7,\"ts\":%d,\"dur\":2,\"args\":{\"correlation\":%d}}", at + 5 * k, id
                printf ",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":7,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"correlation\":%d,\"device\":0,\"stream\":7,\"grid\":[%d,1,1],\"block\":[128,1,1],\"registers per thread\":32,\"shared memory\":1024}}", part[1], start, ns / 1000, id, part[2]
                start += ns / 1000 + 1.5
            }
            at += 200
        }
        print "" > "/dev/stderr"
        print at, id > "at.txt"
    }' 2>>/dev/null >>calls.json
    read -r at id <at.txt
}
at=1000 id=0
printf '{"deviceProperties":[{"id":0,"name":"NVIDIA H100","totalGlobalMem":85000000000,"computeMajor":9,"computeMinor":0,"numSms":132,"maxThreadsPerBlock":1024,"maxThreadsPerMultiprocessor":2048,"regsPerBlock":65536,"regsPerMultiprocessor":65536,"warpSize":32,"sharedMemPerBlock":49152,"sharedMemPerMultiprocessor":233472}],"traceEvents":[\n{"ph":"M","name":"process_name","pid":7,"args":{"name":"python"}}' >calls.json
calls fixed 20 gemm:132:10000 relu:66:4000
calls noisy 20 gemm:132:10000+
calls steps 40 gemm:132:10000/
calls few 3 gemm:132:10000
calls empty 3
calls varies 9 gemm:132:10000
calls varies 1 gemm:264:10000 copy:1:500
printf '\n]}\n' >>calls.json

profdump bench --range fixed calls.json
echo "status $?"
profdump bench --range noisy --max-relative-error 0.1 calls.json
echo "status $?"
for range in steps few empty varies nothing; do
    profdump bench --range $range calls.json
    echo "status $?"
done
profdump bench --range varies --allow-varying --format tsv calls.json
echo "status $?"
profdump bench --range fixed --against noisy calls.json
echo "status $?"
profdump bench --range fixed --against noisy --fail-if-slower 5% --json calls.json
echo "status $?"
profdump bench --range noisy --against fixed --fail-if-slower 5% --format csv calls.json | grep device_time
profdump bench --range varies --json calls.json
profdump baseline save --baselines kept first calls.json
profdump bench --range fixed --baseline first --baselines kept --fail-if-slower 5% --format markdown calls.json
echo "status $?"
