# go: its compiler, and a program with C in it: threads, preemption by signals, processes, sockets
# packages: golang-go gcc libc6-dev
# commands: go gcc

version() { go version | cut -d' ' -f3; }

prepare() {
    cat >guest.go <<'GO'
package main

/*
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

extern void heard(int);
static void *work(void *unused) { heard(7); return unused; }
static int from_c(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	usleep(20000);
	return abs(-5);
}
*/
import "C"

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

//export heard
func heard(n C.int) { fmt.Println("from C", n) }

func spin(stop *bool) { for !*stop { } }

func main() {
	var group sync.WaitGroup
	results := make(chan int, 200)
	for n := 0; n < 200; n++ {
		group.Add(1)
		go func(n int) {
			defer group.Done()
			list := []int{}
			for i := 0; i < 2000; i++ {
				list = append(list, i*n)
			}
			results <- len(list) + int(C.from_c())*0
		}(n)
		if n%50 == 0 {
			runtime.GC()
		}
	}
	group.Wait()
	total := 0
	for n := 0; n < 200; n++ {
		total += <-results
	}
	fmt.Println("total", total)
	stop := false
	runtime.GOMAXPROCS(1)
	go spin(&stop)
	time.Sleep(50 * time.Millisecond) // comes back by preemption only
	stop = true
	fmt.Println("preempted")
	for n := 0; n < 10; n++ {
		command := exec.Command("sh", "-c", fmt.Sprintf("cat; exit %d", n))
		command.Stdin = strings.NewReader("through")
		out, _ := command.Output()
		if string(out) != "through" || command.ProcessState.ExitCode() != n {
			fmt.Println("wrong", n, string(out))
		}
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println(<-signals)
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	go func() {
		for {
			peer, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(peer, peer); peer.Close() }()
		}
	}()
	var lines []string
	for n := 0; n < 20; n++ {
		peer, _ := net.Dial("tcp", listener.Addr().String())
		fmt.Fprintf(peer, "line %d", n)
		peer.(*net.TCPConn).CloseWrite()
		text, _ := io.ReadAll(peer)
		lines = append(lines, string(text))
	}
	sort.Strings(lines)
	fmt.Println(lines[:3])
	func() {
		defer func() { fmt.Println(recover()) }()
		var nothing *int
		fmt.Println(*nothing)
	}()
	fmt.Println("numbers", runtime.NumCPU() > 0)
	os.Exit(6)
}
GO
    sed -i 's/results <- len(list) + int(C.from_c())\*0/results <- len(list)/; s/fmt.Println("total", total)/fmt.Println("total", total, C.from_c())/' guest.go
    printf 'package main\nimport "C"\nfunc main() { var p *int; *p = 1 }\n' >fault.go
}

workload() {
    export GOCACHE=$GUEST_DATA/cache GOFLAGS=-p=2 GO111MODULE=off GOPATH=$GUEST_DATA/go
    go build -o "$GUEST_DATA/guest" guest.go
    echo "build $?"
    go build -o "$GUEST_DATA/fault" fault.go
    echo "build $?"
    "$GUEST_DATA/guest"
    echo "status $?"
    "$GUEST_DATA/fault" 2>/dev/null
    echo "status $?"
    go vet fault.go
    echo "vet $?"
}
