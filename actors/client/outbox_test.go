package client

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"betcode/messages"
)

// big returns one event of so many bytes.
func big(size int) []messages.Event { return []messages.Event{{Seq: 1, Bytes: make([]byte, size)}} }

// takeAll takes until there is nothing more, or the stream has ended.
func takeAll(o *Outbox) (all []messages.Event, err error) {
	for {
		events, err := o.Take()
		if err != nil || len(events) == 0 {
			return all, err
		}
		all = append(all, events...)
	}
}

func TestOutboxBounds(t *testing.T) {
	for _, c := range []struct {
		name    string
		pushes  [][]messages.Event
		refused []bool
	}{
		{"events", [][]messages.Event{numbered(1, 1000), numbered(1001, 1024), numbered(1025, 1025)}, []bool{false, false, true}},
		{"all or nothing", [][]messages.Event{numbered(1, 1000), numbered(1001, 1025), numbered(1001, 1024)}, []bool{false, true, false}},
		{"bytes", [][]messages.Event{big(outboxBytes - 10), big(10), big(1)}, []bool{false, false, true}},
		{"anything fits into an empty one", [][]messages.Event{numbered(1, 5000), numbered(5001, 5001)}, []bool{false, true}},
		{"however large", [][]messages.Event{big(3 * outboxBytes), big(1)}, []bool{false, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			drains := 0
			o := NewOutbox(func() { drains++ })
			var want []messages.Event
			refusals := 0
			for i, events := range c.pushes {
				if took := o.Push(events); took == c.refused[i] {
					t.Errorf("push %d: taken %v", i+1, took)
				}
				if c.refused[i] {
					refusals++
				} else {
					want = append(want, events...)
				}
			}
			got, err := takeAll(o)
			if err != nil || showEvents(got) != showEvents(want) {
				t.Errorf("took %s, %v; want %s", showEvents(got), err, showEvents(want))
			}
			if drains != min(1, refusals) {
				t.Errorf("%d drains after %d refusals", drains, refusals)
			}
			if !o.Push(numbered(1, outboxEvents)) {
				t.Error("it is empty and refuses")
			}
			takeAll(o)
			if drains != min(1, refusals) {
				t.Error("drained although nothing was refused since")
			}
		})
	}
}

// Events that are being sent count until they are sent: a client that stops reading
// costs one outbox, not two.
func TestOutboxCountsWhatIsBeingSent(t *testing.T) {
	drains := 0
	o := NewOutbox(func() { drains++ })
	o.Push(big(outboxBytes / 2))
	if _, err := o.Take(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false} {
		if took := o.Push(big(outboxBytes / 4)); took != want {
			t.Errorf("push %d behind what is being sent: taken %v", i+1, took)
		}
	}
	o.Take()
	if drains != 0 || !o.Push(big(outboxBytes/4)) {
		t.Errorf("what was sent still counts; drained %d times", drains)
	}
	o.Push(big(outboxBytes)) // refused
	o.Take()
	if o.Take(); drains != 1 {
		t.Errorf("%d drains when all has been taken", drains)
	}
}

func TestOutboxClose(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name   string
		reason error
		want   error
	}{
		{"clean", nil, io.EOF},
		{"with a reason", broken, broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := NewOutbox(func() { t.Error("a closed outbox has no use for room") })
			o.Push(numbered(1, outboxEvents))
			o.Push(numbered(2000, 2000)) // refused
			o.Close(c.reason)
			o.Close(errors.New("another"))
			if !o.Push(numbered(3, 3)) {
				t.Error("a closed outbox makes its client lag")
			}
			if got, err := o.Take(); err != nil || showEvents(got) != "1-1024" {
				t.Errorf("what was pushed before: %s, %v", showEvents(got), err)
			}
			for range 2 {
				if got, err := o.Take(); len(got) != 0 || !errors.Is(err, c.want) {
					t.Errorf("then: %v, %v", got, err)
				}
			}
		})
	}
}

func TestOutboxWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := NewOutbox(func() {})
		woken := 0
		go func() {
			for range o.wake {
				woken++
				if _, err := o.Take(); err != nil {
					return
				}
			}
		}()
		want := func(n int, what string) {
			t.Helper()
			synctest.Wait()
			if woken != n {
				t.Errorf("%s: woken %d times, not %d", what, woken, n)
			}
		}
		want(0, "nothing")
		o.Push(numbered(1, 1))
		want(1, "a push")
		o.Push(numbered(2, 9))
		want(2, "another")
		time.Sleep(time.Hour)
		want(2, "an hour")
		o.Close(nil)
		want(3, "the end")
	})
}

// Many goroutines push, one takes, with refusals and drains at the same time: every
// event that a push put in comes out once and in order.
func TestOutboxConcurrently(t *testing.T) {
	const pushers, each = 4, 3000
	var room atomic.Int64
	o := NewOutbox(func() { room.Add(1) })
	var refusals atomic.Int64
	var work sync.WaitGroup
	for p := range pushers {
		work.Go(func() {
			for i := 0; i < each; {
				// A sequence number names the goroutine that pushed, and the number of its push.
				if o.Push([]messages.Event{{Seq: messages.Seq(p*each + i + 1), Bytes: make([]byte, 64)}}) {
					i++
				} else {
					refusals.Add(1)
					time.Sleep(50 * time.Microsecond)
				}
			}
		})
	}
	go func() { work.Wait(); o.Close(nil) }()

	next := make([]int, pushers)
	for range o.wake {
		events, err := o.Take()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			break
		}
		for _, e := range events {
			p, i := int(e.Seq-1)/each, int(e.Seq-1)%each
			if next[p] != i {
				t.Fatalf("pusher %d: event %d, want %d", p, i, next[p])
			}
			next[p]++
		}
	}
	for p, n := range next {
		if n != each {
			t.Errorf("pusher %d: %d events of %d", p, n, each)
		}
	}
	if refusals.Load() > 0 && room.Load() == 0 {
		t.Error("pushes were refused and drained was never called")
	}
}
