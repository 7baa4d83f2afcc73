# Packages of PyPI and npm that tests use, fetched once into the build directory: sourced after common.sh.
#
#   fetch NAME REQUIREMENT... [OPTION]...    pip installs into $packages/NAME, which is complete or not there
#   fetch_environment NAME REQUIREMENT...    the same as a virtual environment
#   fetch_npm NAME@VERSION                   a package of npm's, without what it needs, into $packages/NAME/package
#   fetch_hta, fetch_plugin                  sets PYTHONPATH; skips where it cannot be had
#
# They return 1 where a package cannot be had, with the reason in the last line of fetch.txt.

packages=${BUILD_DIR:-$here}/packages
# shellcheck disable=SC2034 # used by the scripts
speedscope_package=speedscope@1.25.0

# fetch_by NAME COMMAND...: unless $packages/NAME is there, runs the command with the directory to fill as its last argument.
# Tests run beside each other: one fetches, the others wait. What failed is not tried again for ten minutes.
fetch_by() {
    local directory=$packages/$1
    shift
    [[ -d $directory ]] && return
    mkdir -p "$packages"
    (
        flock 9
        [[ -d $directory ]] && exit
        if [[ -n $(find "$directory.failed" -mmin -10 2>/dev/null) ]]; then
            cp "$directory.failed" fetch.txt
            exit 1
        fi
        rm -rf "$directory.part" "$directory.failed"
        "$@" "$directory.part" >fetch.txt 2>&1 && mv "$directory.part" "$directory" && exit
        rm -rf "$directory.part"
        cp fetch.txt "$directory.failed"
        exit 1
    ) 9>"$directory.lock"
}

pip_target() { timeout 400 python3 -m pip install -q --disable-pip-version-check "${@:1:$#-1}" --target "${!#}"; }
fetch() { fetch_by "$1" pip_target "${@:2}"; }

pip_environment() {
    python3 -m venv --without-pip "${!#}" &&
        timeout 400 python3 -m pip --python "${!#}/bin/python" install -q --disable-pip-version-check "${@:1:$#-1}"
}
fetch_environment() { fetch_by "$1" pip_environment "${@:2}"; }

npm_unpack() {
    command -v npm >/dev/null || {
        echo "npm is missing"
        return 1
    }
    mkdir "$2" && timeout 600 npm pack --silent "$1" && tar -xzf "${1/@/-}.tgz" -C "$2"
}
fetch_npm() { fetch_by "${1%@*}" npm_unpack "$1"; }

# Its notebook is not needed.
fetch_hta() {
    if ! fetch hta HolisticTraceAnalysis==0.5.0 --no-deps ||
        ! fetch needs pandas plotly networkx psutil pyyaml pydot; then
        skip "HolisticTraceAnalysis could not be fetched: $(tail -n 1 fetch.txt)"
    fi
    export PYTHONPATH=$packages/hta:$packages/needs
}

# Neither TensorBoard nor PyTorch is needed to parse.
fetch_plugin() {
    if ! fetch plugin torch-tb-profiler==0.4.3 --no-deps || ! fetch needs pandas plotly networkx psutil pyyaml pydot; then
        skip "the TensorBoard plugin could not be fetched: $(tail -n 1 fetch.txt)"
    fi
    export PYTHONPATH=$packages/plugin:$packages/needs
}
