package disk

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/actors/internal/disk"
)

const mib = 1 << 20

// roomy is a disk of a tebibyte with this much free space.
func roomy(free int64) spaceSeen { return spaceSeen{space: disk.Space{Free: free, Total: 1 << 40}} }

// looked returns the state after a measurement, and a short name of the effects.
func looked(s state, m spaceSeen) (next state, short string, wait time.Duration) {
	next, effects := s.step(m)
	for _, e := range effects {
		switch e := e.(type) {
		case announce:
			short += map[bool]string{true: "full ", false: "room "}[e.changed.Full]
		case releaseReserve:
			short += "release "
		case keepReserve:
			short += "keep " + health.Size(e.bytes) + " "
		case act.After:
			wait = e.Delay
		}
	}
	return next, short, wait
}

func TestDiskFills(t *testing.T) {
	s := state{}
	for _, c := range []struct {
		name  string
		seen  spaceSeen
		short string
		wait  time.Duration
		full  bool
	}{
		{"plenty", roomy(900 << 30), "keep 16.0 MiB ", pollMost, false},
		{"two seconds from the mark", roomy((2048 + 512) * mib), "keep 16.0 MiB ", 2 * time.Second, false},
		{"at the mark", roomy(512 * mib), "keep 16.0 MiB ", pollLeast, false},
		{"below it", roomy(512*mib - 1), "full release ", pollFull, true},
		{"a little above it", roomy(700 * mib), "", pollFull, true},
		{"unknown space", spaceSeen{err: errors.New("no such disk")}, "", pollFull, true},
		{"just enough", roomy((512 + 256 + 16) * mib), "room keep 16.0 MiB ", pollLeast, false},
		{"and less again", roomy(600 * mib), "keep 16.0 MiB ", pollLeast, false},
	} {
		var short string
		var wait time.Duration
		if s, short, wait = looked(s, c.seen); short != c.short || wait != c.wait || s.full != c.full {
			t.Errorf("%s: %q, then %s, full %v; want %q, %s, %v", c.name, short, wait, s.full, c.short, c.wait, c.full)
		}
	}
}

func TestDiskMark(t *testing.T) {
	for _, c := range []struct{ low, total, mark, reserve int64 }{
		{0, 1 << 40, 512 * mib, 16 * mib},
		{0, 100 * mib, 5 * mib, 5 * mib / 4},
		{64 * mib, 100 * mib, 64 * mib, 16 * mib},
		{mib, 1 << 40, mib, mib / 4},
	} {
		s := state{low: c.low, space: disk.Space{Total: c.total}}
		if s.mark() != c.mark || s.reserve() != c.reserve {
			t.Errorf("%d of %d: mark %d, reserve %d", c.low, c.total, s.mark(), s.reserve())
		}
	}
}

func TestDiskLooksOnce(t *testing.T) {
	s, first := state{}.step(lookDue{})
	_, second := s.step(LookNow{})
	if len(first) != 1 || len(second) != 0 {
		t.Errorf("%v, then %v", first, second)
	}
}

// In any sequence of measurements a receiver of "full" gets "room" before the next "full",
// both with a margin, and the reserve exists only when there is room.
func TestDiskFlapsNot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, was := state{low: rapid.Int64Range(0, 1<<30).Draw(t, "low")}, false
		for _, free := range rapid.SliceOf(rapid.Int64Range(0, 4<<30)).Draw(t, "free") {
			next, effects := s.step(roomy(free))
			for _, e := range effects {
				switch e := e.(type) {
				case announce:
					now := e.changed.Full
					if now == was || now && free >= next.mark() || !now && free < next.leave() {
						t.Fatalf("full %v after %v, with %d free", now, was, free)
					}
					was = now
				case keepReserve:
					if next.full {
						t.Fatal("a reserve is kept on a full disk")
					}
				}
			}
			if s = next; s.full != was {
				t.Fatal("no change was announced")
			}
		}
	})
}

// Background work must not fill the disk.
func TestSpareRoom(t *testing.T) {
	for _, c := range []struct {
		free, low, want int64
		err             error
	}{
		{free: 100, low: 30, want: 70},
		{free: 20, low: 30},
		{free: 100, low: 30, err: errors.New("no such disk")},
	} {
		m := NewMeter(c.low, func() (disk.Space, error) { return disk.Space{Free: c.free, Total: 1000}, c.err })
		if got := m.Spare(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
