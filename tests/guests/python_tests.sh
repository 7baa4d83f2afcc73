# python's tests: modules about processes, threads, signals, descriptors, sockets and memory
# packages: python3 libpython3.11-testsuite
# commands: python3
# limit: 600

version() { python3 --version; }

modules="test_os test_posix test_fcntl test_thread test_fork1 test_wait3 test_wait4 test_mmap test_select test_selectors
    test_poll test_epoll test_pty test_resource test_sqlite3 test_tempfile test_shutil test_gc test_json test_atexit
    test_pipes test_popen test_openpty test_file test_fileio test_threading_local test_memoryview test_struct"

# A line per test, without times and numbers that change.
workload() {
    local module
    for module in $modules; do
        python3 -c "import test.$module" 2>/dev/null || continue
        (cd "$GUEST_DATA" && timeout 120 python3 -m test -v "$module") >"$GUEST_DATA/log" 2>&1 </dev/null
        echo "$module: status $?"
        grep -aE ' \.\.\. (ok|FAIL|ERROR)$' "$GUEST_DATA/log" | sort
    done
}
