# Packages that end-to-end tests read our files with, fetched once into the build directory: sourced after common.sh.
#
#   fetch NAME REQUIREMENT... [OPTION]...    installs into $packages/NAME, which is complete or not there
#   fetch_hta, fetch_plugin                  sets PYTHONPATH; skips where it cannot be had
#   fetch_npm NAME@VERSION                   the same as fetch of a package of npm's, without what it needs, into
#                                            $packages/NAME/package

packages=${BUILD_DIR:-$here}/hta_packages
# shellcheck disable=SC2034 # used by the scripts
speedscope_package=speedscope@1.25.0

fetch() {
    local name=$1
    shift
    [[ -d $packages/$name ]] && return
    mkdir -p "$packages"
    local part
    part=$(mktemp -d "$packages/$name.XXXXXX") # tests may run beside each other
    if timeout 400 python3 -m pip install -q --disable-pip-version-check --target "$part" "$@" >pip.txt 2>&1; then
        mv -T "$part" "$packages/$name" 2>/dev/null || rm -rf "$part"
    else
        rm -rf "$part"
        return 1
    fi
}

fetch_npm() {
    local name=${1%@*} part
    [[ -d $packages/$name ]] && return
    command -v npm >/dev/null || {
        echo "npm is missing" >npm.txt
        return 1
    }
    mkdir -p "$packages"
    part=$(mktemp -d "$packages/$name.XXXXXX")
    if timeout 120 npm pack --silent "$1" >npm.txt 2>&1 && tar -xzf "$name-${1#*@}.tgz" -C "$part"; then
        mv -T "$part" "$packages/$name" 2>/dev/null || rm -rf "$part"
    else
        rm -rf "$part"
        return 1
    fi
}

# Its notebook is not needed.
fetch_hta() {
    if ! fetch hta HolisticTraceAnalysis==0.5.0 --no-deps ||
        ! fetch needs pandas plotly networkx psutil pyyaml pydot; then
        skip "HolisticTraceAnalysis could not be fetched: $(tail -n 1 pip.txt)"
    fi
    export PYTHONPATH=$packages/hta:$packages/needs
}

# Neither TensorBoard nor PyTorch is needed to parse.
fetch_plugin() {
    if ! fetch plugin torch-tb-profiler==0.4.3 --no-deps || ! fetch needs pandas plotly networkx psutil pyyaml pydot; then
        skip "the TensorBoard plugin could not be fetched: $(tail -n 1 pip.txt)"
    fi
    export PYTHONPATH=$packages/plugin:$packages/needs
}
