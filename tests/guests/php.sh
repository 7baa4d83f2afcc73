# php: pcntl's forks, signals and alarms, commands, streams, shared memory
# packages: php-cli
# commands: php

version() { php --version | head -n 1 | cut -d' ' -f1,2; }

prepare() {
    cat >script.php <<'PHP'
<?php
pcntl_async_signals(true);
$pids = [];
for ($n = 1; $n <= 10; $n++) {
    if (!($pid = pcntl_fork()))
        exit($n);
    $pids[$pid] = $n;
}
$right = 0;
while (($pid = pcntl_wait($status)) > 0)
    $right += pcntl_wexitstatus($status) === $pids[$pid];
echo "children $right\n";
foreach ([SIGUSR1, SIGALRM] as $signal)
    pcntl_signal($signal, function ($number) { echo "signal $number\n"; });
posix_kill(posix_getpid(), SIGUSR1);
pcntl_alarm(1);
$left = sleep(60);
echo "left of the sleep: ", $left > 50 ? "most" : "little", "\n";
$process = proc_open('cat; exit 3', [['pipe', 'r'], ['pipe', 'w']], $pipes);
fwrite($pipes[0], str_repeat('through ', 5000));
fclose($pipes[0]);
echo strlen(stream_get_contents($pipes[1])), ' ', proc_close($process), "\n";
echo shell_exec('echo in the shell'), exec('seq 5', $lines, $status), count($lines), $status, "\n";
[$near, $far] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
if (!pcntl_fork()) {
    while (($line = fgets($far)) !== false && $line !== "end\n")
        fwrite($far, strtoupper($line));
    exit(0);
}
fwrite($near, "a line\nend\n");
echo fgets($near);
pcntl_sigprocmask(SIG_BLOCK, [SIGUSR2]);
posix_kill(posix_getpid(), SIGUSR2);
echo pcntl_sigwaitinfo([SIGUSR2], $info), "\n";
$memory = shmop_open(ftok(__FILE__, 'a'), 'c', 0600, 100);
shmop_write($memory, 'shared', 0);
echo shmop_read($memory, 0, 6), "\n";
shmop_delete($memory);
$libc = FFI::cdef('int abs(int);');
echo $libc->abs(-5), "\n";
echo md5(implode(',', array_map(fn($n) => $n * $n, range(1, 200000)))), "\n";
function deep($n) { return $n ? 1 + deep($n - 1) : 0; }
echo deep(20000), ' ', preg_match('/(a+)+$/', str_repeat('a', 30) . 'b'), ' ', preg_last_error_msg(), "\n";
register_shutdown_function(function () { echo "shutdown\n"; });
set_time_limit(1);
for (;;);
PHP
}

workload() {
    php -n -d memory_limit=512M -d display_errors=0 -d log_errors=0 -d ffi.enable=1 -d extension=shmop -d extension=ffi -d extension=posix script.php 2>&1
    echo "status $?"
    php -d opcache.enable_cli=1 -d opcache.jit_buffer_size=16M -d opcache.jit=tracing -r '
        function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); } echo fib(27), "\n"; pcntl_exec("/bin/sh", ["-c", "echo executed; exit 9"]);'
    echo "status $?"
    php -r '$a = str_repeat("x", 1 << 40);' >/dev/null 2>&1
    echo "status $?"
}
