package host

import (
	"testing"
	"time"
)

// The first deletion is noticed at once. A socket that is deleted without end is made again every three seconds.
func TestPace(t *testing.T) {
	now := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	var p pace
	if p.wait(now) > 0 {
		t.Error("the first check waits")
	}
	n := 0
	for end := now.Add(time.Minute); now.Before(end); n++ {
		p.occurred(now)
		if wait := p.wait(now); wait < firstRest || wait > socketPoll {
			t.Fatalf("it waits for %v", wait)
		}
		now = now.Add(p.wait(now))
	}
	if n < 20 || n > 30 {
		t.Errorf("%d checks in a minute", n)
	}
	now = now.Add(2 * calm)
	if p.wait(now) > 0 {
		t.Error("it waits after a calm time")
	}
	if p.occurred(now); p.wait(now) != firstRest {
		t.Errorf("it waits for %v after a calm time", p.wait(now))
	}
}
