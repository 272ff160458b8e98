package auth

import (
	"context"
	"testing"
	"testing/synctest"
)

func TestNewcomerHasFewCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &newcomer{}
		first, end := context.WithCancel(t.Context())
		defer end()
		rest, endRest := context.WithCancel(t.Context())
		for i := range NewcomerCalls {
			ctx := rest
			if i == 0 {
				ctx = first
			}
			if !n.begin(ctx) {
				t.Fatalf("call %d is refused", i)
			}
		}
		if n.begin(rest) {
			t.Error("there is room for one more")
		}
		end()
		synctest.Wait()
		if !n.begin(rest) || n.begin(rest) {
			t.Error("the end of one call makes room for one")
		}
		n.introduce()
		if !n.begin(rest) {
			t.Error("refused after a token was shown")
		}
		endRest()
		synctest.Wait()
		if got := n.calls.Load(); got != 0 {
			t.Errorf("%d calls are under way at the end", got)
		}
	})
	if !(*newcomer)(nil).begin(t.Context()) {
		t.Error("a caller that is not over TCP is counted")
	}
}
