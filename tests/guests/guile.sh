# guile: threads beside a collector that stops them by signals, processes, signals, sockets
# packages: guile-3.0
# commands: guile

version() { guile --version | head -n 1; }

prepare() {
    cat >script.scm <<'SCHEME'
(use-modules (ice-9 threads) (ice-9 popen) (ice-9 rdelim) (ice-9 futures) (srfi srfi-1))
(setvbuf (current-output-port) 'line)
(define (show . things) (for-each display things) (newline))
(show (fold + 0 (par-map (lambda (n) (length (iota (* 1000 n)))) (iota 60))))
(define threads (map (lambda (n) (call-with-new-thread (lambda () (let loop ((i 0) (l '())) (if (< i 60000) (loop (+ i 1) (cons i (if (= 0 (modulo i 100)) '() l))) n)))))
                     (iota 12)))
(show (fold + 0 (map join-thread threads)))
(gc)
(show (fold + 0 (map (lambda (n) (touch (future (* n n)))) (iota 100))))
(show (status:exit-val (system "exit 3")))
(let* ((port (open-input-pipe "seq 1000")) (lines (let loop ((n 0)) (if (eof-object? (read-line port)) n (loop (+ n 1))))))
  (show lines " " (status:exit-val (close-pipe port))))
(define seen #f)
(sigaction SIGUSR1 (lambda (n) (set! seen n)))
(kill (getpid) SIGUSR1)
(let wait () (if (not seen) (begin (usleep 1000) (wait))))
(show seen)
(sigaction SIGALRM (lambda (n) (show "alarm")))
(setitimer ITIMER_REAL 0 0 0 200000)
(let wait ((n 0)) (if (< n 100) (let ((left (usleep 5000))) (wait (+ n 1)))))
(let ((pair (socketpair AF_UNIX SOCK_STREAM 0)))
  (let ((pid (begin (force-output) (primitive-fork))))
    (if (= pid 0)
        (begin (display (string-upcase (read-line (cdr pair))) (cdr pair)) (newline (cdr pair)) (force-output (cdr pair)) (primitive-_exit 5))
        (begin (display "a line\n" (car pair)) (force-output (car pair))
               (show (read-line (car pair)) " " (status:exit-val (cdr (waitpid pid))))))))
(show (catch #t (lambda () (vector-ref (vector 1 2) 3)) (lambda (key . rest) key)))
(exit 6)
SCHEME
}

workload() {
    GUILE_AUTO_COMPILE=0 guile script.scm 2>&1
    echo "status $?"
    GUILE_AUTO_COMPILE=0 guile -c '(kill (getpid) SIGTERM) (sleep 60)' 2>&1
    echo "status $?"
}
