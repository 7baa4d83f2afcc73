# erlang: processes, ports, commands, timers, sockets, a second node
# packages: erlang-base
# commands: erl

version() { erl -noshell -eval 'io:format("OTP ~s~n", [erlang:system_info(otp_release)]), halt().'; }

prepare() {
    cat >guest.erl <<'ERLANG'
-module(guest).
-export([main/0, fib/1, loop/0]).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

loop() -> receive {From, N} -> From ! N * 2, loop(); stop -> ok end.

ring(0, Last) -> Last;
ring(N, Next) -> ring(N - 1, spawn(fun() -> receive M -> Next ! M + 1 end end)).

answer(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Data} -> gen_tcp:send(Socket, string:uppercase(Data)), answer(Socket);
        {error, closed} -> ok
    end.

main() ->
    Self = self(),
    ring(20000, Self) ! 0,
    receive Count -> io:format("ring ~p~n", [Count]) end,
    [spawn_link(fun() -> Self ! {fib, fib(20 + N)} end) || N <- lists:seq(1, 6)],
    io:format("fib ~p~n", [lists:sum([receive {fib, X} -> X end || _ <- lists:seq(1, 6)])]),
    io:format("~s", [os:cmd("echo from a shell; exit 3")]),
    io:format("~p~n", [lists:sum([length(os:cmd("seq " ++ integer_to_list(N))) || N <- lists:seq(1, 20)])]),
    Port = open_port({spawn_executable, "/bin/cat"}, [binary, use_stdio, exit_status, {line, 100}]),
    port_command(Port, <<"through cat\n">>),
    receive {Port, {data, {eol, Line}}} -> io:format("~s~n", [Line]) end,
    port_close(Port),
    Exit = open_port({spawn, "sh -c 'exit 7'"}, [exit_status]),
    receive {Exit, {exit_status, S}} -> io:format("status ~p~n", [S]) end,
    {ok, Listening} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Number} = inet:port(Listening),
    spawn(fun() -> {ok, Peer} = gen_tcp:accept(Listening), answer(Peer) end),
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Number, [binary, {active, false}]),
    ok = gen_tcp:send(Socket, "a line"),
    io:format("~p~n", [gen_tcp:recv(Socket, 6)]),
    [erlang:send_after(N rem 50, Self, tick) || N <- lists:seq(1, 500)],
    [receive tick -> ok end || _ <- lists:seq(1, 500)],
    {Pid, Monitor} = spawn_monitor(fun() -> exit(gone) end),
    receive {'DOWN', Monitor, process, Pid, Why} -> io:format("~p~n", [Why]) end,
    ok = file:write_file("written", [integer_to_list(N) || N <- lists:seq(1, 10000)]),
    {ok, Bytes} = file:read_file("written"),
    io:format("~p ~p~n", [byte_size(Bytes), erlang:md5(Bytes)]),
    os:set_signal(sigusr1, ignore),
    os:cmd("kill -USR1 " ++ os:getpid()),
    io:format("~p~n", [erlang:system_info(schedulers_online)]),
    halt(5).
ERLANG
}

workload() {
    erlc guest.erl
    erl -noshell -start_epmd false -s guest main
    echo "status $?"
    erl -noshell -start_epmd false -eval 'os:cmd("kill -TERM " ++ os:getpid()), timer:sleep(60000).' >/dev/null 2>&1
    echo "status $?"
    erl -noshell -start_epmd false -eval 'erlang:halt(abort).' >/dev/null 2>&1
    echo "status $?"
    rm -f erl_crash.dump
    rm -f guest.beam
}
