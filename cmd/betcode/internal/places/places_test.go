package places

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

// In any order of connecting, introducing and leaving, the limits hold, no known
// connection is evicted, and every newcomer is admitted.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Limits{
			Known: rapid.IntRange(1, 6).Draw(t, "known"), Address: rapid.IntRange(1, 6).Draw(t, "address"),
			Newcomers: rapid.IntRange(1, 6).Draw(t, "newcomers"), Strangers: rapid.IntRange(1, 6).Draw(t, "strangers"),
		}
		p := New(l)
		type caller struct {
			*Place
			from         netip.Addr
			known, there bool
		}
		var all []*caller
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch n := rapid.IntRange(0, max(len(all)-1, 0)).Draw(t, "who"); rapid.IntRange(0, 3).Draw(t, "what") {
			case 0, 1:
				c := &caller{from: netip.AddrFrom4([4]byte{10, 0, 0, byte(rapid.IntRange(1, 3).Draw(t, "address"))}), there: true}
				c.Place = p.Enter(c.from, func() {
					if c.known || !c.there {
						t.Fatal("a known connection is evicted, or one is evicted twice")
					}
					c.there = false
				})
				if !c.there {
					t.Fatal("a newcomer is not admitted")
				}
				all = append(all, c)
			case 2:
				if len(all) > 0 {
					c := all[n]
					if ok := c.Introduce(); ok && !c.there {
						t.Fatal("a connection that has left is known")
					} else if ok {
						c.known = true
					}
				}
			case 3:
				if len(all) > 0 {
					all[n].Leave()
					all[n].there, all[n].known = false, false
				}
			}
			known, newcomers := 0, 0
			perKnown, perNew := map[netip.Addr]int{}, map[netip.Addr]int{}
			for _, c := range all {
				switch {
				case c.known:
					known++
					perKnown[c.from]++
				case c.there:
					newcomers++
					perNew[c.from]++
				}
			}
			if k, n := p.Count(); k != known || n != newcomers || k > l.Known || n > l.Newcomers {
				t.Fatalf("%d known and %d newcomers are counted, there are %d and %d of %+v", k, n, known, newcomers, l)
			}
			for _, n := range perKnown {
				if n > l.Address {
					t.Fatalf("%d of one address are known", n)
				}
			}
			for _, n := range perNew {
				if n > l.Strangers {
					t.Fatalf("%d newcomers of one address", n)
				}
			}
		}
	})
}

// A flood from one address evicts connections of that address only.
func TestFloodEvictsItsOwn(t *testing.T) {
	p := New(Limits{Known: 4, Address: 4, Newcomers: 8, Strangers: 6})
	quiet := netip.MustParseAddr("192.0.2.1")
	p.Enter(quiet, func() { t.Error("evicted by another address") })
	for range 100 {
		p.Enter(netip.MustParseAddr("192.0.2.2"), func() {})
	}
	for i := range 100 {
		if i%2 == 0 {
			p.Enter(netip.MustParseAddr("192.0.2.3"), func() {})
		} else {
			p.Enter(netip.MustParseAddr("::ffff:192.0.2.2"), func() {})
		}
	}
}
