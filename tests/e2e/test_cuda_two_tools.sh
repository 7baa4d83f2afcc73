#!/usr/bin/env bash
# Another tool that uses CUPTI in the same process: from CUDA 13.3 and its driver on both are told of the kernels, whoever
# came first, if the other uses the form of the interface that goes together with others (SIM_CUPTI_LAYOUT 13.3). Else the
# one that came first is, and the other is told no.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda two_tools -L"$SIM_LIB" -l:libcupti.so.13
number=0

# both MOMENT FORM TOOL EXPRESSION...: what the tool in the program prints, and what is true of the trace.
both() {
    local file=$((++number)).prof
    same "the tool, $1 in the $2 form" "$3" "$(simulate $file ./two_tools "$1" "$2" 2>stderr.txt)"
    expect_cuda $file -- "${@:4}"
    no_violations "libprof beside a tool, $1 in the $2 form"
}
complete="facts['mode'] == 'cupti' and loss['launched'] == loss['recorded'] == ops['work(float*, int)'] == 5"
together="facts['mode_reason'] == 'CUPTI activity records, beside other tools'"
alone="facts['mode_reason'] == 'CUPTI activity records'"

export SIM_CUPTI_LAYOUT=13.3
both early second "kernels 5" "$complete" "$together"
both late second "kernels 5" "$complete" "$together"
both late first "error 39" "$complete" "$together"
both early first "kernels 5" "facts['mode'] == 'unavailable' and 'another tool holds CUPTI' in facts['mode_reason'] and not ops"

# What lets others in is not there: the driver is older, or CUPTI is.
SIM_DRIVER_VERSION=13020 both late second "error 39" "$complete" "$alone"
SIM_DRIVER_VERSION=13020 both early second "kernels 5" "facts['mode'] == 'unavailable' and 'the tool' in facts['mode_reason']"
SIM_CUPTI_LAYOUT=13.0 both late first "error 39" "$complete" "$alone"
SIM_CUPTI_LAYOUT=13.0 both early first "kernels 5" "facts['mode'] == 'unavailable' and 'another tool holds CUPTI' in facts['mode_reason']"
