package auth_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
)

// TestPlaces checks that nobody uses more than a share of the places, that others get the rest, and
// that somebody who waits gets the next place of the share.
func TestPlaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := auth.NewPlaces(3, 2)
		try := func(behalf string, want bool) (leave func()) {
			t.Helper()
			leave, ok := p.TryTake(behalf)
			if ok != want {
				t.Fatalf("a place for %s: %t, want %t", behalf, ok, want)
			}
			return leave
		}
		first, second := try("greedy", true), try("greedy", true)
		try("greedy", false)
		third := try("modest", true)
		try("modest", false) // all are taken
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, behalf := range []string{"greedy", "modest"} {
			if _, err := p.Take(soon, behalf); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s waited: %v", behalf, err)
			}
		}
		waited := make(chan func())
		go func() {
			leave, err := p.Take(t.Context(), "greedy")
			if err != nil {
				t.Error(err)
			}
			waited <- leave
		}()
		synctest.Wait()
		third()
		synctest.Wait()
		select {
		case <-waited:
			t.Fatal("somebody has more than a share")
		default:
		}
		second()
		for _, leave := range []func(){first, <-waited} {
			leave()
		}
		// Nothing is left of those who have gone.
		first, second, third = try("greedy", true), try("modest", true), try("modest", true)
		try("modest", false)
		for _, leave := range []func(){first, second, third} {
			leave()
		}
	})
}
