// Command webstore is a web server that keeps what is PUT and honours If-Match:
// the store that the example plugins are tried with. It forgets everything when
// it ends.
package main

import (
	"flag"
	"log"
	"net/http"

	"github.com/electd/electd/examples/webstore/store"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8123", "address to listen on")
	flag.Parse()
	log.Printf("listening on http://%s", *listen)
	log.Fatal(http.ListenAndServe(*listen, store.New()))
}
