#!/usr/bin/env bash
# A process that records nothing leaves no file, prints nothing and runs as if the library were not
# there.
. "$(dirname "$0")/common.sh"

mkdir empty && cd empty
same "output of true" "" "$(record x.prof /bin/true 2>&1)"
same "status of false" 1 "$(record x.prof /bin/false 2>&1 || echo $?)"
cat >../fifty.sh <<'SCRIPT'
for i in $(seq 25); do
    /bin/true
    echo "$i" | cat
done
exit 5
SCRIPT
same "status of a script" 5 "$(record x.prof sh ../fifty.sh >../stdout.txt 2>../stderr.txt || echo $?)"
same "output of a script" "$(seq 25)" "$(cat ../stdout.txt)"
same "stderr of a script" "" "$(cat ../stderr.txt)"
same "files" "" "$(ls -A)"

# Nor does a bad configuration make it speak.
same "output with a bad variable" "" "$(PROF_MAX_MB=none PROF_TYPO=1 record x.prof /bin/true 2>&1)"

# A program that is linked against prof.h, under a library that waits for prof_start().
cd .. && compile ranges && cd empty
same "output before prof_start()" "" "$(PROF_START=api record x.prof ../ranges 2>&1)"
same "files of all that" "" "$(ls -A)"

# A library's constructor runs before ours: it must find a whole exec family.
cat >../early.c <<'EARLY'
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void early(void)
{
    unsetenv("LD_PRELOAD");
    execvp("echo", (char *[]){"echo", "executed", NULL});
    write(1, "not executed\n", 13);
}
EARLY
"$CC" -w -shared -fPIC ../early.c -o ../libearly.so
echo 'int main(void) { return 0; }' >../early_main.c
"$CC" ../early_main.c -o ../early_main -Wl,--no-as-needed -L.. -learly -Wl,-rpath,"$here"
same "exec in an early constructor" executed "$(record x.prof ../early_main 2>&1)"

# Nor does it need memory: its data grows by half a MiB at most, and it starts under a limit that leaves room for little more.
data_kib() { "$@" awk '/^VmData:/ { print $2 }' /proc/self/status; }
more=$(($(data_kib record x.prof) - $(data_kib env)))
((more <= 512)) || fail "the library adds $more KiB of data"
(ulimit -d 1000 && record x.prof /bin/true) || fail "true does not start under a limit on its data"

# Few of its pages are copied for a forked child, and the child stores into none.
(cd .. && compile idle_pages)
read -r library child <<<"$(record x.prof ../idle_pages)"
((library > 0 && library <= 16 && child == 0)) || fail "it stores into $library pages, and a child into $child"
same "files of all that" "" "$(ls -A)"
