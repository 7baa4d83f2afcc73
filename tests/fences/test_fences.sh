#!/usr/bin/env bash
# A part of export/ cannot include what it may not use: each include below is tried with the flags of a source of its folder.
set -euo pipefail
commands=$BUILD_DIR/compile_commands.json
[[ -f $commands ]] || { echo "SKIPPED: no $commands"; exit 77; }

# tries FOLDER HEADER: compiles a line that includes it as if it stood in the folder.
tries() {
    python3 - "$commands" "$SOURCE_DIR/$1" "$2" <<'PYTHON'
import json, os, re, shlex, subprocess, sys

commands, folder, header = sys.argv[1:]
entry = next(e for e in json.load(open(commands))
             if os.path.dirname(e["file"]) == folder and re.search(r"-o \S*CMakeFiles/prof_", e["command"]))
flags = [word for word in shlex.split(entry["command"]) if re.match(r"-(I|D|std=|isystem)", word)]
run = subprocess.run([os.environ["CC"], *flags, "-fsyntax-only", "-x", "c", "-"], input=f'#include "{header}"\n', text=True,
                     cwd=entry["directory"], capture_output=True)
if run.returncode and "No such file" not in run.stderr:
    sys.exit(run.stderr)
sys.exit(3 if run.returncode else 0)
PYTHON
}

failed=0
allowed() {
    local status=0
    tries "$@" || status=$?
    [[ $status -eq 0 ]] || { echo "FAILED: $1 cannot include $2"; failed=1; }
}
refused() {
    local status=0
    [[ -n $(find "$SOURCE_DIR"/{export,libprof} -name "$2") ]] || { echo "FAILED: there is no $2"; failed=1; }
    tries "$@" || status=$?
    [[ $status -eq 3 ]] || { echo "FAILED: $1 can include $2 (status $status)"; failed=1; }
}

# What a folder uses, and a private header of its own.
allowed export/stats timeline.h
allowed export/stats key_rows.h
allowed export/read builder.h
allowed export/write/reports table.h

# A private header of another folder.
refused export/read build.h
refused export/stats build.h
refused export/read/foreign trace_walk.h
refused export/stats/findings key_rows.h
refused export/write/formats arrow_view.h
refused export/profdump query_table.h

# Upwards, or across.
refused export/base timeline.h
refused export/timeline read.h
refused export/read foreign.h
refused export/read key_averages.h
refused export/read/foreign key_averages.h
refused export/symbols read.h
refused export/stats read.h
refused export/stats table.h
refused export/stats/work diff.h
refused export/stats/diff findings.h
refused export/stats/findings roofline.h
refused export/table timeline.h
refused export/write/reports write.h
refused export/write formats.h
refused export/write/formats write_html.h
refused export/write/copy commands.h
refused export/write/html profdump.h
refused export/query profdump.h
refused export/pytorch profdump.h
refused export/executorch read.h
refused export/profdump thread.h

[[ $failed -eq 0 ]] || exit 1
echo "all passed"
