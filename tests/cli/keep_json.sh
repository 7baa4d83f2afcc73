#!/usr/bin/env bash
# keep_json.sh - profdump for the cases of run.sh, which keeps what is asked for as JSON: $KEPT/N.json, and $KEPT/N.words with
# the exit status and the command line. $PROFDUMP is the real one.
case " $* " in
*--compat*) ;; # as other programs write it
*" --json "* | *" --format json "* | *" --format=json "*)
    kept=$(mktemp "$KEPT/XXXXXX.json")
    "$PROFDUMP" "$@" >"$kept"
    status=$?
    echo "$status $*" >"${kept%.json}.words"
    cat "$kept"
    exit $status
    ;;
esac
exec "$PROFDUMP" "$@"
