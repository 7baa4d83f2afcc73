# OCaml: bytecode and machine code, forks, threads under a tick, signals, pipes
# packages: ocaml-nox gcc
# commands: ocamlc ocamlopt

version() { echo "OCaml $(ocamlopt -version)"; }

prepare() {
    cat >guest.ml <<'OCAML'
let show format = Printf.printf (format ^^ "\n%!")
let () =
  let pids = List.init 8 (fun n -> match Unix.fork () with 0 -> Unix._exit (n + 1) | pid -> pid) in
  let status pid = match snd (Unix.waitpid [] pid) with Unix.WEXITED n -> n | _ -> -1 in
  show "children %d" (List.fold_left (+) 0 (List.map status pids));
  let lock = Mutex.create () and total = ref 0 in
  let work n =
    for i = 1 to 20000 do
      ignore (Array.make 50 i);
      Mutex.lock lock; total := !total + n; Mutex.unlock lock
    done in
  List.iter Thread.join (List.init 10 (Thread.create work));
  show "threads %d" !total;
  let seen = ref 0 in
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> incr seen));
  ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = 0.005; it_value = 0.005 });
  while !seen < 20 do (try ignore (Unix.select [] [] [] 0.01) with Unix.Unix_error (Unix.EINTR, _, _) -> ()) done;
  ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = 0.; it_value = 0. });
  let virtual_seen = ref 0 in
  Sys.set_signal Sys.sigvtalrm (Sys.Signal_handle (fun _ -> incr virtual_seen));
  ignore (Unix.setitimer Unix.ITIMER_VIRTUAL { Unix.it_interval = 0.01; it_value = 0.01 });
  while !virtual_seen < 3 do ignore (ref 1) done;
  ignore (Unix.setitimer Unix.ITIMER_VIRTUAL { Unix.it_interval = 0.; it_value = 0. });
  show "alarms";
  let input, output = Unix.open_process "cat; exit 3" in
  output_string output "through cat\n"; close_out output;
  let line = input_line input in
  show "%s %s" line (match Unix.close_process (input, output) with Unix.WEXITED n -> string_of_int n | _ -> "no");
  show "system %s" (match Unix.system "kill -TERM $$" with Unix.WSIGNALED n when n = Sys.sigterm -> "terminated" | _ -> "no");
  let near, far = Unix.socketpair Unix.PF_UNIX Unix.SOCK_STREAM 0 in
  let writer = Thread.create (fun () -> ignore (Unix.write_substring far (String.make 300000 'x') 0 300000); Unix.close far) () in
  let buffer = Bytes.create 4096 in
  let rec drain n = match Unix.read near buffer 0 4096 with 0 -> n | m -> drain (n + m) in
  show "read %d" (drain 0);
  Thread.join writer;
  let rec deep n = 1 + deep (n + 1) in
  show "%s" (try string_of_int (deep 0) with Stack_overflow -> "too deep");
  Gc.compact ();
  show "%d" (List.length (List.sort_uniq compare (List.init 200000 (fun i -> i * 7919 mod 100003))));
  at_exit (fun () -> show "at exit");
  exit 6
OCAML
}

workload() {
    local file
    ocamlc -I +threads unix.cma threads.cma guest.ml -o guest.byte 2>&1
    echo "ocamlc $?"
    ocamlopt -I +threads unix.cmxa threads.cmxa guest.ml -o guest.native 2>&1
    echo "ocamlopt $?"
    for file in byte native; do
        (ulimit -s 8192; "./guest.$file")
        echo "status $?"
    done
    rm -f guest.o guest.cm* guest.byte guest.native
}
