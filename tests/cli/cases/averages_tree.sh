profdump --tree nvtx.prof | sed -n '/Name/,/Device/p'
profdump --tree --depth 1 --time-unit us nvtx.prof | sed -n '/Name/,/Self CPU/p'
profdump --tree --rows 2 nvtx.prof | sed -n '/Name/,/lines/p'
profdump --tree cpu.prof | sed -n '/Name/,/Self CPU/p'
profdump --tree hostile.prof | sed -n '/Name/,/Self CPU/p'
profdump -o - --to folded hostile.prof
