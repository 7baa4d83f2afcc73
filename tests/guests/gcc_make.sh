# gcc and make: a parallel build, one after an edit, and a build that fails
# packages: gcc make libc6-dev binutils
# commands: gcc make ar
# set: quick

version() { gcc --version | head -n 1; }

prepare() {
    local number
    printf 'int f%d(int); ' {1..12} >all.h
    for number in {1..12}; do
        printf '#include "all.h"\n#include <stdio.h>\nint f%d(int n) { return n %% %d ? n * %d : f%d(n - 1) + 1; }\n' \
            "$number" $((number + 1)) "$number" $((number % 12 + 1)) >"f$number.c"
    done
    cat >main.c <<'C'
#include "all.h"
#include <stdio.h>
int main(void)
{
    for (int n = 1; n < 40; n++)
        printf("%d %d\n", n, f1(n) + f7(n) - f12(n));
    return 3;
}
C
    cat >Makefile <<'MAKE'
CFLAGS = -O2 -g -Wall
OBJECTS = $(patsubst %.c,%.o,$(filter-out main.c,$(wildcard f*.c)))
program: main.o libf.a
	$(CC) -o $@ $^
libf.a: $(OBJECTS)
	ar rcD $@ $(sort $^)
%.o: %.c all.h
	$(CC) $(CFLAGS) -c -o $@ $<
MAKE
}

workload() {
    make -s -j4 && ./program
    echo "program ended with $?"
    make -s -j4 && make
    touch f3.c && make --output-sync -j2
    echo 'int wrong(void) { return nothing; }' >>f5.c
    make -s -k -j3
    echo "make ended with $?"
    gcc -O2 -flto=2 -o optimised ./*.c -Df5=f5 2>&1 | grep -c error:
    gcc -dM -E -x c /dev/null | grep -c define
}
