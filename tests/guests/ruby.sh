# ruby: forks, threads, signals, sockets, spawned commands, fibers
# packages: ruby
# commands: ruby

version() { ruby --version | cut -d' ' -f1,2; }

prepare() {
    cat >script.rb <<'RUBY'
require 'socket'
require 'open3'
require 'timeout'
require 'etc'
$stdout.sync = true
puts (1..12).map { |n| fork { exit! n } }.map { |pid| Process.wait2(pid)[1].exitstatus }.inspect
puts (1..40).map { |n| Thread.new { (1..2000).sum * n } }.sum(&:value)
seen = Queue.new
%w[USR1 USR2 CHLD WINCH].each { |name| trap(name) { seen << name } }
Process.kill(:USR1, Process.pid)
puts seen.pop
begin
  Timeout.timeout(0.2) { sleep }
rescue Timeout::Error
  puts 'timeout'
end
out, status = Open3.capture2e('cat; exit 4', stdin_data: 'through')
puts out, status.exitstatus, seen.pop
puts `echo in backticks`, $?.success?
puts system('command_that_is_not_there').inspect
pid = spawn('sleep 60', pgroup: true)
Process.kill(:TERM, pid)
puts Process.wait2(pid)[1].termsig
server = TCPServer.new('127.0.0.1', 0)
answering = Thread.new { 20.times { peer = server.accept; peer.write(peer.gets.upcase); peer.close } }
puts (1..20).map { |n| Thread.new { s = TCPSocket.new('127.0.0.1', server.addr[1]); s.puts "line #{n}"; s.read } }.map(&:value).sort.first(3)
answering.join
reader, writer = IO.pipe
fork { reader.close; writer.write('x' * 300_000); exit! 0 }
writer.close
puts reader.read.size
Process.wait
fiber = Fiber.new { 5.times { |n| Fiber.yield n }; :done }
puts 6.times.map { fiber.resume }.inspect
puts Ractor.new { 6 * 7 }.take if false
io = IO.popen('-')
io ? (puts io.read; io.close) : (puts 'in the child'; exit! 0)
def deep(n) = deep(n + 1)
begin
  deep(0)
rescue SystemStackError
  puts 'too deep'
end
GC.stress = false
200.times { 'x' * 100_000 }
GC.start
GC.compact if GC.respond_to?(:compact)
Thread.new { sleep 0.1; Process.kill(:INT, Process.pid) }
begin
  sleep 60
rescue Interrupt
  puts 'interrupted'
end
exec('sh', '-c', 'echo executed; exit 7') if fork.nil?
puts Process.wait2[1].exitstatus
Process.daemon(true, true)
at_exit { File.write('daemon', 'at exit') }
exit 5
RUBY
}

workload() {
    ruby script.rb
    echo "status $?"
    until [ -s daemon ]; do sleep 0.1; done
    ruby -e 'Thread.new { Process.kill(:SEGV, Process.pid) }.join; sleep' >/dev/null 2>&1
    echo "status $?"
    ruby -e 'Process.kill(:KILL, Process.pid)'
    echo "status $?"
}
