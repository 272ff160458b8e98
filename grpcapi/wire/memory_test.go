package wire

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// Reservations never exceed the total or a caller's share; every waiter is served after others have
// released their bytes; at the end all bytes are free.
func TestMemory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(t *testing.T) {
			total := int64(rapid.IntRange(1, 20).Draw(rt, "total"))
			each := int64(rapid.IntRange(1, 20).Draw(rt, "each"))
			r := newMemory(total, each)
			check := func() {
				r.mu.Lock()
				defer r.mu.Unlock()
				var sum int64
				for caller, n := range r.callers {
					if sum += n; n > each || n <= 0 {
						t.Errorf("%s has %d of %d", caller, n, each)
					}
				}
				if sum != r.used || r.used > total {
					t.Errorf("%d are used of %d, callers have %d", r.used, total, sum)
				}
			}
			for i := range rapid.IntRange(1, 30).Draw(rt, "requests") {
				caller := fmt.Sprint(rapid.IntRange(0, 3).Draw(rt, "caller"))
				bytes := int64(rapid.IntRange(0, 30).Draw(rt, "bytes"))
				hold := time.Duration(rapid.IntRange(0, 5).Draw(rt, "hold")) * time.Second
				patience := time.Duration(rapid.SampledFrom([]int{1, 3, 3600}).Draw(rt, "patience")) * time.Second
				pause := time.Duration(rapid.IntRange(0, 2).Draw(rt, "pause")) * time.Second
				go func() {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					taken, err := r.take(ctx, caller, bytes)
					if err != nil {
						if patience == time.Hour {
							t.Errorf("request %d of %d: %v", i, bytes, err)
						}
						return
					}
					check()
					time.Sleep(hold)
					r.give(caller, taken)
				}()
				time.Sleep(pause)
			}
			time.Sleep(2 * time.Hour)
			synctest.Wait()
			if r.used != 0 || len(r.callers) != 0 || len(r.waiting) != 0 {
				t.Errorf("%d are used by %v, %d wait", r.used, r.callers, len(r.waiting))
			}
		})
	})
}
