#!/usr/bin/env bash
# libprofdump.so exports what is listed, nothing else, and can be loaded late and given back.
. "$(dirname "$0")/common.sh"

library=$LIB_DIR/libprofdump.so
if [[ -z ${SANITIZE:-} ]]; then
    diff <(grep -v '^#' "$SOURCE_DIR/export/library/profdump.sym" | sort) \
        <(nm -D --defined-only "$library" | awk '{ print $3 }' | sort) || fail "exports are not those listed (wanted <, there >)"
fi
readelf -d "$library" | grep -q 'SONAME.*libprofdump\.so\.[0-9]' || fail "no SONAME with a version"
if readelf -d "$library" | grep -q 'NEEDED.*libprof\.so'; then
    fail "the recorder is needed"
fi
if readelf -d "$library" | grep -q STATIC_TLS; then
    fail "it takes room of the static block of thread-local storage"
fi

# Whoever uses the header need not link the recorder.
echo '#include <prof/trace.h>
int main(void) { return prof_trace_format(0) == 0; }' >use.c
for flags in -O0 -O2; do
    "$CC" $flags -Wall -Wextra -Werror ${SANITIZE:+-fsanitize=$SANITIZE} -I"$SOURCE_DIR/libprof/include" use.c -o use \
        -L"$LIB_DIR" -lprofdump
    LD_LIBRARY_PATH=$LIB_DIR ./use || fail "a program with the library"
done
if [[ -z ${SANITIZE:-} ]]; then
    python3 - "$library" traces/demo.prof <<'PYTHON'
import ctypes, sys
for _ in range(3):
    library = ctypes.CDLL(sys.argv[1])
    library.prof_trace_error.restype = ctypes.c_char_p
    trace = ctypes.c_void_p()
    paths = (ctypes.c_char_p * 1)(sys.argv[2].encode())
    assert library.prof_trace_open(paths, ctypes.c_size_t(1), None, ctypes.byref(trace)) == 0
    assert library.prof_trace_export(trace, b"perfetto", b"out.pftrace") == 0, library.prof_trace_error(trace)
    library.prof_trace_close(trace)
    handle, library = library._handle, None
    ctypes.CDLL(None).dlclose(ctypes.c_void_p(handle))
PYTHON
fi
echo "all passed"
