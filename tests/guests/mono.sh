# mono: the compiler, threads beside a collector that stops them by signals, processes, sockets, broken references
# packages: mono-runtime mono-mcs libmono-system-core4.0-cil
# commands: mono mcs

version() { mono --version | head -n 1 | grep -oE 'version [0-9.]+' | sed 's/version/Mono/'; }

prepare() {
    cat >Guest.cs <<'CSHARP'
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

class Guest {
    static int Deep(int n) { return n == 0 ? 0 : 1 + Deep(n - 1); }

    static int Main() {
        Console.WriteLine(Enumerable.Range(0, 300000).AsParallel().Select(n => (long)n % 77).Sum());
        var threads = new List<Thread>();
        long total = 0;
        for (int n = 0; n < 12; n++) {
            int number = n;
            var thread = new Thread(() => {
                for (int i = 0; i < 3000; i++)
                    Interlocked.Add(ref total, new byte[1000 + number].Length);
            });
            thread.Start();
            threads.Add(thread);
        }
        for (int n = 0; n < 5; n++)
            GC.Collect();
        threads.ForEach(thread => thread.Join());
        Console.WriteLine("threads " + total);
        for (int n = 0; n < 6; n++) {
            var start = new ProcessStartInfo("/bin/sh", "-c \"cat; exit " + n + "\"") {
                UseShellExecute = false, RedirectStandardInput = true, RedirectStandardOutput = true };
            using (var process = Process.Start(start)) {
                process.StandardInput.Write("line");
                process.StandardInput.Close();
                string text = process.StandardOutput.ReadToEnd();
                process.WaitForExit();
                if (text != "line" || process.ExitCode != n)
                    Console.WriteLine("wrong: " + text + " " + process.ExitCode);
            }
        }
        try { object nothing = null; nothing.ToString(); } catch (NullReferenceException) { Console.WriteLine("null"); }
        try { int zero = int.Parse("0"); Console.WriteLine(1 / zero); } catch (DivideByZeroException) { Console.WriteLine("zero"); }
        Console.WriteLine(Deep(5000));
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var answering = Task.Run(() => {
            using (var peer = listener.AcceptTcpClient())
                peer.GetStream().CopyTo(peer.GetStream());
        });
        using (var client = new TcpClient()) {
            client.Connect((IPEndPoint)listener.LocalEndpoint);
            var bytes = Encoding.ASCII.GetBytes(new string('x', 40000));
            client.GetStream().Write(bytes, 0, bytes.Length);
            client.Client.Shutdown(SocketShutdown.Send);
            Console.WriteLine("echo " + new StreamReader(client.GetStream()).ReadToEnd().Length);
        }
        answering.Wait();
        int ticks = 0;
        using (new Timer(state => Interlocked.Increment(ref ticks), null, 1, 1))
            while (Volatile.Read(ref ticks) < 20)
                Thread.Sleep(1);
        Console.WriteLine("ticks");
        var sleeper = new Thread(() => { try { Thread.Sleep(60000); } catch (ThreadAbortException) { Console.WriteLine("aborted"); } });
        sleeper.Start();
        Thread.Sleep(50);
        sleeper.Abort();
        sleeper.Join();
        File.WriteAllText("written", string.Join(",", Enumerable.Range(0, 20000)));
        AppDomain.CurrentDomain.ProcessExit += (sender, arguments) => Console.WriteLine("exits");
        return 5;
    }
}
CSHARP
}

workload() {
    mcs -nologo Guest.cs
    echo "mcs $?"
    mono Guest.exe
    echo "status $?"
    MONO_GC_PARAMS=nursery-size=512k mono --gc=sgen --interpreter Guest.exe
    echo "status $?"
    mono -e 2>/dev/null
    echo "status $?"
    rm -f Guest.exe
}
