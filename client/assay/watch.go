package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	assay "github.com/assayhq/assay/client/go"
)

const (
	// watchPause bounds how often is read what changes, because a key may make 600 requests a minute.
	watchPause = time.Second
	// watchAgain is when it is read although nothing is known to have changed.
	watchAgain = 15 * time.Second
)

// reportOutage reports whether the server did not answer, as while it is restarted, rather than refused,
// and says so. What follows changes then tries again.
func reportOutage(c *cobra.Command, err error) bool {
	p, answered := errors.AsType[*assay.Problem](err)
	if c.Context().Err() != nil || answered && p.Status < http.StatusInternalServerError && p.Status != http.StatusTooManyRequests {
		return false
	}
	fmt.Fprintf(c.ErrOrStderr(), "The server does not answer, trying again: %v\n", err)
	return true
}

// watch yields whenever objects of the topic may have changed: at the beginning, after each change,
// and from time to time.
func watch(ctx context.Context, client *assay.Client, topic string) iter.Seq2[struct{}, error] {
	return func(yield func(struct{}, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		changed, failed := make(chan struct{}, 1), make(chan error, 1)
		go func() {
			for change, err := range client.Changes(ctx) {
				if err != nil {
					failed <- err
					return
				}
				if change.Topic != "" && change.Topic != topic {
					continue
				}
				select {
				case changed <- struct{}{}:
				default:
				}
			}
		}()
		for {
			select {
			case <-ctx.Done():
				return
			case err := <-failed:
				yield(struct{}{}, err)
				return
			case <-changed:
			case <-time.After(watchAgain):
			}
			if !yield(struct{}{}, nil) {
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(watchPause):
			}
		}
	}
}
