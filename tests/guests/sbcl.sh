# sbcl: a collector that works with SIGSEGV and stops threads by signals, programs, timers, a saved image
# packages: sbcl
# commands: sbcl

version() { sbcl --version; }

prepare() {
    cat >script.lisp <<'LISP'
(setf *random-state* (sb-ext:seed-random-state 7))
(defun show (&rest things) (format t "~{~a ~}~%" things) (finish-output))
(let ((threads (loop for n below 12 collect
        (let ((n n)) (sb-thread:make-thread (lambda () (let ((l nil)) (dotimes (i 400000) (push i l) (when (> (length l) 50) (setf l nil))) n)))))))
  (show (reduce #'+ (mapcar #'sb-thread:join-thread threads))))
(sb-ext:gc :full t)
(show (sb-ext:process-exit-code (sb-ext:run-program "/bin/sh" '("-c" "exit 4"))))
(show (with-output-to-string (out) (sb-ext:run-program "/bin/cat" nil :input (make-string-input-stream "through") :output out)))
(show (sb-ext:process-status (sb-ext:run-program "/bin/sh" '("-c" "kill -TERM $$"))))
(show (handler-case (sb-ext:with-timeout 0.3 (loop)) (sb-ext:timeout () "timeout")))
(show (handler-case (labels ((deep (n) (+ 1 (deep (+ n 1))))) (deep 0)) (storage-condition () "too deep")))
(show (handler-case (/ 1 (- 1 (length "1"))) (division-by-zero () "division by zero")))
(show (handler-case (sb-sys:sap-ref-8 (sb-sys:int-sap 16) 0) (error () "memory fault")))
(show (handler-case (sqrt (/ 1d0 (read-from-string "0d0"))) (arithmetic-error () "arithmetic")))
(let ((timers 0))
  (let ((timer (sb-ext:make-timer (lambda () (incf timers)))))
    (sb-ext:schedule-timer timer 0.01 :repeat-interval 0.01)
    (loop until (> timers 20) do (sleep 0.02))
    (sb-ext:unschedule-timer timer))
  (show "timers"))
(require :sb-posix)
(let ((pid (sb-posix:fork)))
  (if (zerop pid) (sb-ext:exit :code 9 :abort t)
      (show (sb-posix:wexitstatus (nth-value 1 (sb-posix:waitpid pid 0))))))
(let ((sum 0)) (dotimes (i 30) (incf sum (length (make-array 1000000)))) (show sum))
(defun main () (show "from the image" (length (make-list 100000))) (sb-ext:exit :code 5))
(sb-ext:save-lisp-and-die "image" :executable t :toplevel #'main)
LISP
}

workload() {
    sbcl --noinform --no-sysinit --no-userinit --non-interactive --load script.lisp 2>&1 | grep -vE 'Memory fault|integrity|pid|fingers|bytes|^;|done\]|^$|^\['
    echo "status ${PIPESTATUS[0]}"
    ./image
    echo "status $?"
    rm -f image
    sbcl --noinform --no-sysinit --no-userinit --non-interactive \
        --eval '(progn (sb-unix:unix-kill (sb-unix:unix-getpid) 15) (sleep 60))' >/dev/null 2>&1
    echo "status $?"
}
