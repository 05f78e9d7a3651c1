// Command client is a program beside electd: it writes to a ledger while its node
// leads, and at no other time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/electd/electd/client"
)

func main() {
	api := flag.String("api", os.Getenv("ELECTD_API"), "the daemon's API: its socket, or http://host:port")
	election := flag.String("election", "orders", "the election to follow")
	path := flag.String("ledger", "ledger.txt", "the file to write to")
	name := flag.String("name", "somebody", "who writes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *api, *election, ledger{*path}, *name); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

// run writes an entry every few milliseconds, whenever this node leads.
func run(ctx context.Context, api, election string, to ledger, name string) error {
	daemon, err := client.New(api, client.Options{})
	if err != nil {
		return err
	}
	defer daemon.Close()
	guard := daemon.Guard(election)
	defer guard.Close()
	return guard.RunWhileLeading(ctx, func(ctx context.Context, epoch uint64) error {
		fmt.Printf("leading at epoch %d\n", epoch)
		for ctx.Err() == nil {
			switch err := to.write(epoch, name); {
			case errors.Is(err, errDeposed):
				// A newer leader has written already. It cannot come to this while
				// clocks run; if it does, the ledger's own check has caught it.
				fmt.Println(err)
				<-ctx.Done()
			case err != nil:
				return err
			}
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond):
			}
		}
		fmt.Printf("no more: %v\n", context.Cause(ctx))
		return nil
	})
}
