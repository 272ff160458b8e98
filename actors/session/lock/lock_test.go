package lock_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"betcode/actors/session/lock"
	"betcode/messages"
)

// bench drives a lock with clients a, b, c and o; all but o are attached.
type bench struct {
	lock.Lock
	now    time.Time
	gone   map[messages.ClientID]bool
	ticket lock.Ticket
	said   []string
}

func newBench() *bench {
	return &bench{now: time.Unix(1000, 0), gone: map[messages.ClientID]bool{"o": true}}
}

func (b *bench) attached(client messages.ClientID) bool { return client != "" && !b.gone[client] }

func (b *bench) apply(facts []lock.Fact) {
	for _, f := range facts {
		switch f := f.(type) {
		case lock.Moved:
			b.said = append(b.said, fmt.Sprintf("moved %q→%q%s", f.View.Previous, f.View.Holder, rest(f.View)))
		case lock.Changed:
			b.said = append(b.said, "changed"+rest(f.View))
		case lock.Answered:
			text := fmt.Sprintf("answer %d: granted %v, holder %q", f.Ticket, f.Answer.Granted, f.Answer.Holder)
			if f.Answer.Refused {
				text += ", refused"
			}
			if f.Answer.Place > 0 {
				text += fmt.Sprint(", place ", f.Answer.Place)
			}
			b.said = append(b.said, text)
		}
	}
}

func rest(v lock.View) string {
	var text string
	if len(v.Waiting) > 0 {
		text += fmt.Sprint(" waiting ", v.Waiting)
	}
	if v.RequestedBy != "" {
		text += " requested by " + string(v.RequestedBy)
	}
	if v.OfferedTo != "" {
		text += " offered to " + string(v.OfferedTo)
	}
	return text
}

// do carries out one line of a script: "request a", "release a", "refuse", "use a", "attach a", "leave a", "reserve a",
// "unreserve", "drain", or a duration, during which the lock ticks whenever it is due.
func (b *bench) do(line string) {
	verb, name, _ := strings.Cut(line, " ")
	client := messages.ClientID(name)
	switch verb {
	case "request":
		b.ticket++
		b.apply(b.Request(b.now, client, b.ticket, b.attached))
	case "release":
		b.apply(b.Release(b.now, client, b.attached))
	case "refuse":
		b.apply(b.Refuse(b.now))
	case "use":
		if b.Blocks(client, b.attached) {
			b.said = append(b.said, name+" is blocked")
			return
		}
		b.apply(b.Use(b.now, client, b.attached))
	case "attach":
		delete(b.gone, client)
		b.apply(b.Attach(b.now, client))
	case "leave":
		b.gone[client] = true
		b.apply(b.Release(b.now, client, b.attached))
	case "reserve":
		b.Reserve(b.now, client)
	case "unreserve":
		b.apply(b.EndReservation(b.now, b.attached))
	case "drain":
		b.apply(b.Tick(b.now, true, b.attached))
	default:
		d, err := time.ParseDuration(verb)
		if err != nil {
			panic(err)
		}
		until := b.now.Add(d)
		for next := b.Next(); !next.IsZero() && !next.After(until); next = b.Next() {
			b.now = next
			b.apply(b.Tick(b.now, false, b.attached))
		}
		b.now = until
	}
}

func TestLock(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"the first client that attaches": {"attach a, attach b", `moved ""→"a"`},
		"the first client that writes":   {"use a, use b", `moved ""→"a"; b is blocked`},
		"a request for a free lock":      {"request a", `moved ""→"a"; answer 1: granted true, holder "a"`},
		"a request by the holder":        {"use a, request a", `moved ""→"a"; answer 1: granted true, holder "a"`},
		"a request without a response": {
			"use a, request b, 10s",
			`moved ""→"a"; changed waiting [b] requested by b; moved "a"→"b"; answer 1: granted true, holder "b"`,
		},
		"a refusal keeps waiters": {
			"use a, request b, refuse, 1m",
			`moved ""→"a"; changed waiting [b] requested by b; answer 1: granted false, holder "a", refused, place 1; changed waiting [b]`,
		},
		"a release serves the first waiter": {
			"use a, request b, request c, refuse, release a",
			`moved ""→"a"; changed waiting [b] requested by b; changed waiting [b c] requested by b; ` +
				`answer 1: granted false, holder "a", refused, place 1; answer 2: granted false, holder "a", refused, place 2; changed waiting [b c]; ` +
				`moved "a"→"b" waiting [c]`,
		},
		"a waiter that leaves": {
			"use a, request b, leave b",
			`moved ""→"a"; changed waiting [b] requested by b; answer 1: granted false, holder "a"; changed`,
		},
		"a holder that leaves": {
			"use a, request b, leave a",
			`moved ""→"a"; changed waiting [b] requested by b; moved "a"→"b"; answer 1: granted true, holder "b"`,
		},
		"a second request of a client answers its first": {
			"use a, request b, request b",
			`moved ""→"a"; changed waiting [b] requested by b; answer 1: granted false, holder "a", place 1; changed waiting [b] requested by b`,
		},
		"an offer that is taken": {
			"use a, request b, refuse, 5m, use b",
			`moved ""→"a"; changed waiting [b] requested by b; answer 1: granted false, holder "a", refused, place 1; changed waiting [b]; ` +
				`changed waiting [b] offered to b; moved "a"→"b"`,
		},
		"an offer that passes": {
			"use a, request b, refuse, 5m, 10s",
			`moved ""→"a"; changed waiting [b] requested by b; answer 1: granted false, holder "a", refused, place 1; changed waiting [b]; ` +
				`changed waiting [b] offered to b; changed`,
		},
		"a holder that writes ends the offer": {
			"use a, request b, refuse, 5m, use a",
			`moved ""→"a"; changed waiting [b] requested by b; answer 1: granted false, holder "a", refused, place 1; changed waiting [b]; ` +
				`changed waiting [b] offered to b; changed waiting [b]`,
		},
		"a reservation blocks others": {"reserve o, use a, attach o, use o", `a is blocked`},
		"a reservation that ends":     {"reserve o, unreserve, use a", `moved "o"→""; moved ""→"a"`},
		"a reserved holder has its time again": {
			"reserve o, request a, 9s, attach o, 9s, use o, 1s",
			`changed waiting [a] requested by a; moved "o"→"a"; answer 1: granted true, holder "a"`,
		},
		"draining answers requests": {
			"use a, request b, drain",
			`moved ""→"a"; changed waiting [b] requested by b; answer 1: granted false, holder "a", place 1; changed waiting [b]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			for line := range strings.SplitSeq(c.script, ", ") {
				b.do(line)
			}
			if diff := cmp.Diff(c.want, strings.Join(b.said, "; ")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A queue has an end, which its members do not meet.
func TestFull(t *testing.T) {
	b := newBench()
	b.do("use a")
	for i := range lock.MaxWaiters {
		name := messages.ClientID(fmt.Sprint("w", i))
		if b.Full(name) {
			t.Fatalf("full after %d", i)
		}
		b.apply(b.Request(b.now, name, lock.Ticket(i+1), b.attached))
	}
	if !b.Full("b") || b.Full("w0") {
		t.Errorf("full for b: %v, for w0: %v", b.Full("b"), b.Full("w0"))
	}
	if shown := len(b.View().Waiting); shown != 100 || !slices.Equal(b.Waiting()[:100], b.View().Waiting) {
		t.Errorf("a view names %d waiters", shown)
	}
}
