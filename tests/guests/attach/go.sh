# Go: net/http
# packages: golang-go gcc libc6-dev
# commands: go gcc

version() { go version | cut -d' ' -f3; }

prepare() {
    export HOME=$GUEST_DATA GOFLAGS=-mod=mod GOPROXY=off CGO_ENABLED=1
    cat >"$GUEST_DATA/server.go" <<'PROGRAM'
package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(answer http.ResponseWriter, request *http.Request) {
		n, sum := 0, 0
		fmt.Sscanf(request.URL.Path, "/%d", &n)
		for i := 0; i < n*10; i++ {
			sum = (sum*31 + i*i%1000003) % 1000003
		}
		fmt.Fprintf(answer, "%d", sum)
	})
	fmt.Println(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
PROGRAM
    go build -o "$GUEST_DATA/server" "$GUEST_DATA/server.go"
}

workload() {
    port=$(free_port)
    serve "$GUEST_DATA/server" "$port"
}
