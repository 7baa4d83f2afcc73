#!/usr/bin/env bash
# overhead.sh [OPTION]... PROGRAM [ARGUMENT]... - what profilers cost a whole program: overhead.py says how, with --help.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/overhead.py" "$@"
