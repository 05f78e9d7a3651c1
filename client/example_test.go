package client_test

import (
	"context"
	"fmt"
	"log"

	"github.com/electd/electd/client"
)

// A program that runs on every node acts only where its node leads.
func ExampleGuard_RunWhileLeading() {
	daemon, err := client.New("/var/lib/electd/api.sock", client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer daemon.Close()
	guard := daemon.Guard("orders")
	defer guard.Close()
	err = guard.RunWhileLeading(context.Background(), func(ctx context.Context, epoch uint64) error {
		fmt.Println("acting at epoch", epoch)
		<-ctx.Done() // as soon as this node leads no more
		fmt.Println("not any more:", context.Cause(ctx))
		return nil
	})
	log.Fatal(err)
}

// Events follows a daemon through lost connections and restarts.
func ExampleClient_Events() {
	daemon, err := client.FromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range daemon.Events(context.Background(), client.Latest) {
		switch {
		case err != nil:
			log.Print("asking again: ", err)
		case e.Missed != nil:
			log.Print("something was missed: ", e.Missed.Why)
		default:
			fmt.Println(e.Transition.Election, e.Transition.To, e.Transition.Reason)
		}
	}
}
