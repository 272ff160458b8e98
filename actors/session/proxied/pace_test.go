package proxied

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	after := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	var p Pace
	for _, c := range []struct {
		what   string
		change func()
		want   time.Duration // for message 2
	}{
		{"nothing is known", func() {}, 5 * time.Second},
		{"a fast one", func() { p = p.Sent(2, start).Repeated(2, after(1)) }, 5 * time.Second},
		{"a slow one", func() { p = p.Sent(3, start).Sent(4, after(1)).Repeated(3, after(8)) }, 16 * time.Second},
		{"another one is not measured", func() { p = p.Repeated(4, after(29)) }, 16 * time.Second},
		{"the slowest counts", func() { p = p.Sent(5, start).Repeated(5, after(1)) }, 16 * time.Second},
		{"an earlier one comes late", func() { p = p.Sent(7, start).Repeated(6, after(29)).Repeated(7, after(29)) }, 16 * time.Second},
		{"the connection ends", func() { p = p.Sent(8, start).Interrupted().Repeated(8, after(29)) }, 16 * time.Second},
		{"it is bounded", func() { p = p.Sent(9, start).Repeated(9, after(300)) }, time.Minute},
	} {
		c.change()
		if got := p.Wait(2); got != c.want {
			t.Errorf("%s: %s", c.what, got)
		}
		if got := p.Wait(1); got != firstWait {
			t.Errorf("%s: the first message has %s", c.what, got)
		}
	}
}
