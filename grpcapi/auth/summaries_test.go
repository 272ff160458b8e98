package auth

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The first refusal of a caller in a minute is logged in full and the others in one report.
// The number of callers is bounded, and every refusal is counted.
func TestSummaries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		reports, counted := map[string]int{}, 0
		s := newSummaries(func(caller string, more map[refusal]int) {
			mu.Lock()
			defer mu.Unlock()
			reports[caller]++
			for _, n := range more {
				counted += n
			}
			if len(more) > maxRefusalKinds+1 {
				t.Errorf("%s: %d kinds", caller, len(more))
			}
		})
		firsts, calls := 0, 0
		for i := range 3 * maxSummaries {
			for j := range 40 {
				calls++
				if s.add(fmt.Sprint("caller ", i), refusal{span: fmt.Sprint(j)}) {
					firsts++
				}
			}
		}
		time.Sleep(summaryEvery + time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if firsts != maxSummaries+1 || len(reports) != maxSummaries+1 || firsts+counted != calls {
			t.Errorf("%d told in full, %d reports, %d counted of %d", firsts, len(reports), counted, calls)
		}
		for caller, n := range reports {
			if n != 1 {
				t.Errorf("%s: %d reports", caller, n)
			}
		}
		if !s.add("caller 1", refusal{}) {
			t.Error("the next minute begins with no refusal in full")
		}
		s.close()
	})
}
