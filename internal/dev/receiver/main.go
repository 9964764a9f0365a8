// Command receiver is the webhook receiver that make run starts.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/assayhq/assay/internal/dev/internal/receiver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := receiver.Run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "receiver: "+err.Error())
		os.Exit(1) //nolint:gocritic // nothing is left to be ended
	}
}
