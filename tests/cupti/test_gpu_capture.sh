#!/usr/bin/env bash
# What records replay fixtures on a GPU links to libprof's CUPTI part: it has a recorder of its own, which must stay complete.
[ -e "$BUILD_DIR/archive/libprof_cupti.a" ] || { echo "libprof was built without CUPTI"; exit 77; }
[ -z "${SANITIZE:-}" ] || { echo "not with sanitizers: they would have to be preloaded"; exit 77; }
! grep -q __gcov_ "$BUILD_DIR/archive/libprof_cupti.a" || { echo "not in a build that counts: its library would be missing"; exit 77; }
. "$SOURCE_DIR/tests/gpu/suite.sh"
build=$BUILD_DIR work=$PWD
build_capture
