# Operations whose launch is not in the trace stay with the rank that they came from, also where a rank has
# nothing else, and a trace was merged before; --chrome writes what is read back the same.
event() { printf '{"ph":"X","cat":"%s","name":"%s","pid":%s,"tid":7,"ts":%s,"dur":5,"args":{"correlation":%s%s}}' "$@"; }
rank() { printf '{"distributedInfo":{"rank":%s,"world_size":3},"traceEvents":[%s]}\n' "$1" "$2"; }
rank 0 "$(event cuda_runtime cudaLaunchKernel 100 10 1 ''),$(event kernel a 0 20 1 ',"device":0,"stream":7')" >0.json
rank 1 "$(event kernel b 0 30 9 ',"device":0,"stream":7'),$(event kernel b 0 40 1 ',"device":0,"stream":7')" >1.json
rank 2 "$(event cuda_runtime cudaLaunchKernel 100 10 1 ''),$(event kernel c 0 20 9 ',"device":0,"stream":7')" >2.json
ranks() { profdump --kind kernels --group-by name,process,rank --format tsv "$1" | cut -f1,4,11,12 | sort; }
profdump -o all.json 0.json 1.json 2.json
ranks all.json
profdump -o some.json 2.json 0.json && profdump -o again.json 1.json some.json
ranks again.json | cmp - <(ranks all.json) && grep -A9 mergedProcesses again.json
profdump check again.json
# through libprof's own trace
profdump 0.json 1.json 2.json --chrome own.json
ranks own.json | cmp - <(ranks all.json)
