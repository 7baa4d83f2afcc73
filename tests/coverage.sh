#!/usr/bin/env bash
# coverage.sh FILE.csv - prints a table of lines and branches by folder, from gcovr's; then the files with the most lines that
# did not run.
set -euo pipefail

LISTED=15

tail -n +2 "$1" | awk -F, '
    {
        folder = $1
        sub(/(\/include)?\/[^\/]*$/, "", folder)
        if (folder !~ /^(libprof\/src|export|collect)\//) sub(/\/.*/, "", folder)
        for (name in all) delete all[name]
        all[folder]; all["all"]
        for (name in all) {
            lines[name] += $2; lines_run[name] += $3
            branches[name] += $5; branches_run[name] += $6
        }
    }
    function row(name) {
        return sprintf("| %s | %d | %.1f %% | %d | %.1f %% |", name, lines[name], 100 * lines_run[name] / lines[name],
            branches[name], branches[name] ? 100 * branches_run[name] / branches[name] : 100)
    }
    END {
        print "| folder | lines | run | branches | taken |\n|---|---|---|---|---|"
        fflush()
        for (name in lines) if (name != "all") print row(name) | "sort"
        close("sort")
        print row("all")
    }'

printf '\nLines that did not run:\n'
tail -n +2 "$1" | awk -F, '{ printf "%5d of %5d  %s\n", $2 - $3, $2, $1 }' | sort -rn | head -n "$LISTED"
