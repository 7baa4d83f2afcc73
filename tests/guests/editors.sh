# vim and emacs without a screen: filters, jobs, channels, timers, processes, sub-threads
# packages: vim emacs-nox
# commands: vim emacs

version() { echo "$(vim --version | head -n 1 | cut -d' ' -f1-5), $(emacs --version | head -n 1)"; }

prepare() {
    cat >script.vim <<'VIM'
set nomore noswapfile viminfo=
call setline(1, reverse(range(1, 500)))
%!sort -n
let out = [getline(1), getline('$'), system('cat', 'through'), v:shell_error]
call system('exit 3')
call add(out, v:shell_error)
func! Heard(channel, text)
    call add(g:heard, a:text)
endfunc
let heard = []
let job = job_start(['sh', '-c', 'for n in 1 2 3; do echo $n; done; exit 4'], {'out_cb': 'Heard'})
while job_status(job) ==# 'run' || len(heard) < 3
    sleep 10m
endwhile
call add(out, [heard, job_info(job).exitval])
let ticks = 0
func! Tick(timer)
    let g:ticks += 1
endfunc
call timer_start(2, 'Tick', {'repeat': 20})
while ticks < 20
    sleep 5m
endwhile
let total = 0
for i in range(20000)
    let total += i % 7
endfor
call add(out, total)
try
    call deep()
catch
    call add(out, 'caught')
endtry
call writefile(map(out, 'string(v:val)'), 'vim.out')
write! sorted
cquit 5
VIM
    cat >script.el <<'LISP'
(defun show (&rest things) (princ (mapconcat (lambda (thing) (format "%s" thing)) things " ")) (princ "\n"))
(show (shell-command-to-string "echo from a shell"))
(show (call-process "sh" nil nil nil "-c" "exit 3") (call-process "sh" nil nil nil "-c" "kill -TERM $$"))
(with-temp-buffer
  (dotimes (n 500) (insert (format "%d\n" (- 500 n))))
  (call-process-region (point-min) (point-max) "sort" t t nil "-n")
  (show (buffer-substring 1 10)))
(let* ((heard "") (process (make-process :name "cat" :command '("cat") :connection-type 'pty :filter (lambda (_ text) (setq heard (concat heard text))))))
  (process-send-string process "a line\n")
  (while (not (string-match "a line\r?\n" heard)) (accept-process-output process 1))
  (process-send-eof process)
  (while (process-live-p process) (accept-process-output process 1))
  (show "heard" (process-exit-status process)))
(let* ((server (make-network-process :name "server" :server t :host "127.0.0.1" :service t :family 'ipv4
                                     :filter (lambda (peer text) (process-send-string peer (upcase text)))))
       (answer "")
       (client (make-network-process :name "client" :host "127.0.0.1" :service (process-contact server :service)
                                     :filter (lambda (_ text) (setq answer (concat answer text))))))
  (process-send-string client "hello\n")
  (while (string= answer "") (accept-process-output nil 1))
  (show answer)
  (delete-process client) (delete-process server))
(defvar ticks 0)
(progn
  (run-with-timer 0.01 0.01 (lambda () (setq ticks (1+ ticks))))
  (while (< ticks 20) (sleep-for 0.05))
  (show "ticks"))
(defvar total 0)
(show (progn (mapc #'thread-join (mapcar (lambda (n) (make-thread `(lambda () (setq total (+ total ,n))))) '(1 2 3 4))) total))
(garbage-collect)
(show (condition-case error (progn (defun deep (n) (1+ (deep n))) (deep 1)) (error (car error))))
(show (with-timeout (0.2 "timeout") (while t (sleep-for 0.01))))
(with-temp-file "emacs.out" (dotimes (n 2000) (insert (number-to-string (* n n)) "\n")))
(show (length (sort (number-sequence 1 50000) #'>)))
(kill-emacs 6)
LISP
}

workload() {
    TERM=dumb vim -u NONE -i NONE -N -es -S script.vim </dev/null 2>&1
    echo "status $?"
    cat vim.out
    emacs -Q --batch -l script.el 2>&1
    echo "status $?"
}
