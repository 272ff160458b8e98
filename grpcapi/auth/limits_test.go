package auth

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// Regardless of how a caller spreads its requests, it gets at most the burst plus the rate. A
// request after the announced wait is within the limit.
func TestLimiter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now, burst := time.Unix(0, 0), rapid.IntRange(1, 5).Draw(t, "burst")
		l := newLimiter(10, burst)
		l.now = func() time.Time { return now }
		taken := 0
		for range rapid.IntRange(1, 50).Draw(t, "requests") {
			wait := l.take("a")
			if wait == 0 {
				taken++
			} else if rapid.Bool().Draw(t, "waits") {
				now = now.Add(wait)
				if again := l.take("a"); again > time.Microsecond {
					t.Fatalf("told to wait %s, then %s", wait, again)
				}
				taken++
			}
			now = now.Add(time.Duration(rapid.IntRange(0, 200).Draw(t, "pause")) * time.Millisecond)
		}
		if most := burst + int(now.Sub(time.Unix(0, 0)).Seconds()*10) + 1; taken > most {
			t.Fatalf("%d were let through, %d may be", taken, most)
		}
	})
}

func TestLimiterForgets(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimiter(1, 1)
	l.now = func() time.Time { return now }
	for i := range 3 * maxBuckets {
		l.take(fmt.Sprint(i))
		now = now.Add(time.Duration(i%2) * time.Millisecond)
	}
	if n := len(l.buckets); n > maxBuckets {
		t.Errorf("%d callers are remembered", n)
	}
	if wait := newLimiter(0, 0).take("a"); wait != 0 {
		t.Error("no limit is a limit")
	}
}

// A changed limit applies at once, also to callers over the old limit. Used tokens stay used.
func TestLimitsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(1, 3)
		through := func(caller string) (n int) {
			for range 100 {
				if wait := l.take(caller); wait == 0 {
					n++
				}
			}
			return n
		}
		if n := through("a"); n != 3 {
			t.Errorf("%d were let through at once", n)
		}
		l.change(10, 5)
		if n := through("a"); n != 0 {
			t.Errorf("a change has given %d back", n)
		}
		if n := through("b"); n != 5 {
			t.Errorf("of a new caller %d", n)
		}
		time.Sleep(200 * time.Millisecond)
		if n := through("a"); n != 2 {
			t.Errorf("at the new rate %d", n)
		}
		time.Sleep(time.Hour)
		l.change(10, 2)
		if n := through("a"); n != 2 {
			t.Errorf("of a smaller burst %d", n)
		}
		l.change(0, 2)
		if n := through("a"); n != 100 {
			t.Errorf("without a limit %d", n)
		}
		l.change(1, 1)
		if n := through("a"); n != 1 {
			t.Errorf("with one again %d", n)
		}
	})
}
