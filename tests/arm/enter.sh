#!/bin/sh
# enter.sh COMMAND... - runs a command in the root file system $ARM_ROOT, in the folder of the same name. ctest runs each test of
# the cross build by it.
exec unshare --root="$ARM_ROOT" --wd="$PWD" -- "$@"
