package lock_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"betcode/actors/session/lock"
	"betcode/messages"
)

var names = []messages.ClientID{"a", "b", "c", "d"}

// step carries out one random call.
func (b *bench) step(t *rapid.T) {
	client := string(rapid.SampledFrom(names).Draw(t, "client"))
	verb := rapid.SampledFrom([]string{"request", "request", "release", "refuse", "use", "attach", "leave", "wait", "unreserve"}).Draw(t, "verb")
	switch {
	case verb == "wait":
		b.do(rapid.SampledFrom([]string{"1s", "9s", "10s", "11s", "5m"}).Draw(t, "time"))
	case verb == "request" && !b.attached(messages.ClientID(client)):
		b.do("attach " + client)
	case verb == "use" && b.gone[messages.ClientID(client)]:
	default:
		b.do(verb + " " + client)
	}
}

// Whatever happens: the holder does not wait, nobody waits twice or for nobody, a request is answered once and in time,
// and a copy stays as it was.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench()
		if rapid.Bool().Draw(t, "crashed") {
			b.do("reserve o")
		}
		asked := map[lock.Ticket]time.Time{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			before, copied, was := b.ticket, b.Lock, b.Lock.Waiting()
			pending := b.Pending()
			b.step(t)
			if !slices.Equal(was, copied.Waiting()) || !slices.Equal(pending, copied.Pending()) {
				t.Fatalf("a copy changed: %v became %v", was, copied.Waiting())
			}
			if b.ticket > before {
				asked[b.ticket] = b.now
			}
			waiting := b.Waiting()
			sorted := slices.Sorted(slices.Values(waiting))
			if len(slices.Compact(sorted)) != len(waiting) || slices.Contains(waiting, b.Holder()) {
				t.Fatalf("%q holds while %v wait", b.Holder(), waiting)
			}
			if b.Contested() && b.Holder() == "" {
				t.Fatalf("%v wait for nobody", waiting)
			}
			for _, ticket := range b.Pending() {
				if late := b.now.Sub(asked[ticket]); late >= lock.RequestTime {
					t.Fatalf("request %d waits for %s", ticket, late)
				}
			}
			if len(b.Pending()) > 0 && b.Next().IsZero() {
				t.Fatal("requests are pending and nothing is due")
			}
		}
	})
}

// owner is the lock as the model of the linearizability check sees it.
type owner struct{ holder, previous messages.ClientID }

type call struct {
	verb   string
	client messages.ClientID
}

var model = porcupine.Model{
	Init: func() any { return owner{} },
	Step: func(state, input, output any) (bool, any) {
		held, c, got := state.(owner), input.(call), output.(messages.LockAnswer)
		switch {
		case c.verb == "request" && got.Granted && held.holder == c.client: // it held it, or was given it
			return true, held
		case c.verb == "request" && got.Granted:
			return got.Previous == held.holder, owner{c.client, held.holder}
		case c.verb == "request":
			return held.holder == got.Holder && held.holder != c.client, held
		case c.verb == "release" && got.Granted:
			return held.holder == c.client, owner{got.Holder, c.client}
		case c.verb == "release":
			return held.holder != c.client, held
		case got.Granted && held.holder == "":
			return true, owner{c.client, ""}
		}
		return got.Granted == (held.holder == c.client), held
	},
}

// Requests last until they are answered, writes and releases happen at once: together they could have come one after the
// other.
func TestLinearizable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench()
		open := map[lock.Ticket]int{}
		var history []porcupine.Operation
		var clock int64
		record := func(c call) int {
			clock++
			history = append(history, porcupine.Operation{ClientId: slices.Index(names, c.client), Input: c, Call: clock})
			return len(history) - 1
		}
		finish := func(i int, answer messages.LockAnswer) {
			clock++
			history[i].Output, history[i].Return = answer, clock
		}
		apply := func(facts []lock.Fact) {
			for _, f := range facts {
				if f, ok := f.(lock.Answered); ok {
					finish(open[f.Ticket], f.Answer)
					delete(open, f.Ticket)
				}
			}
		}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			client := rapid.SampledFrom(names).Draw(t, "client")
			switch verb := rapid.SampledFrom([]string{"request", "request", "release", "write", "write", "wait"}).Draw(t, "verb"); verb {
			case "request":
				b.ticket++
				open[b.ticket] = record(call{verb, client})
				apply(b.Request(b.now, client, b.ticket, b.attached))
			case "release":
				i, previous := record(call{verb, client}), b.Holder()
				facts := b.Release(b.now, client, b.attached)
				finish(i, messages.LockAnswer{Granted: previous == client, Holder: b.Holder(), Previous: previous})
				apply(facts)
			case "write":
				i, blocked := record(call{verb, client}), b.Blocks(client, b.attached)
				finish(i, messages.LockAnswer{Granted: !blocked})
				if !blocked {
					apply(b.Use(b.now, client, b.attached))
				}
			case "wait":
				b.now = b.now.Add(11 * time.Second)
				apply(b.Tick(b.now, false, b.attached))
			}
		}
		history = slices.DeleteFunc(history, func(op porcupine.Operation) bool {
			return op.Return == 0 && reflect.ValueOf(op.Output).Kind() == reflect.Invalid
		})
		if !porcupine.CheckOperations(model, history) {
			t.Fatalf("not linearizable: %+v", history)
		}
	})
}
