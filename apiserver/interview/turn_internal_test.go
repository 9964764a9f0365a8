package interview

import (
	"context"
	"errors"
	"testing"
)

func TestTurns(t *testing.T) {
	t.Parallel()
	var list turns
	interrupted := make(chan struct{})
	end, waited, err := list.beginTurn(t.Context(), "a", func() { close(interrupted) })
	if err != nil || waited {
		t.Fatalf("the first one waits: %t, %v", waited, err)
	}
	endOther, waited, err := list.beginTurn(t.Context(), "b", func() {})
	if err != nil || waited {
		t.Fatalf("another upload waits: %t, %v", waited, err)
	}
	endOther()
	go func() {
		<-interrupted
		end()
	}()
	end2, waited, err := list.beginTurn(t.Context(), "a", func() {})
	if err != nil || !waited {
		t.Fatalf("the second one does not wait: %t, %v", waited, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := list.beginTurn(gone, "a", func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that is gone waits until %v", err)
	}
	end2()
	if len(list.of) > 0 {
		t.Errorf("%d turns are left", len(list.of))
	}
}
