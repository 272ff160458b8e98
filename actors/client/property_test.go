package client

import (
	"testing"

	"pgregory.net/rapid"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// clientBench runs a client against a journal that grows, an outbox that may be
// full and slow readers, and keeps the events that the client was given.
type clientBench struct {
	state   State
	outbox  *Outbox
	pending []readLog // being read
	drains  int       // OutboxDrained messages under way
	news    []messages.Published
	stored  messages.Seq // in the journal
	fits    func() bool  // whether chance lets a push fit

	got     []messages.Event
	closed  bool
	reports int // reportEnd
}

// perform does the same as client.perform.
func (b *clientBench) perform(next State, effects []act.Effect) {
	b.state = next
	for i, e := range effects {
		switch e := e.(type) {
		case push:
			if !b.fits() || !b.outbox.Push(e.events) {
				b.outbox.mu.Lock()
				b.outbox.refused = true
				b.outbox.mu.Unlock()
				refused, more := b.state.step(pushRefused{effects[i:]})
				b.perform(refused, more)
				return
			}
		case readLog:
			b.pending = append(b.pending, e)
		case endSink:
			b.outbox.Close(e.reason)
		case reportEnd:
			b.reports++
		}
	}
}

func (b *clientBench) step(m any) { b.perform(b.state.step(m)) }

// take is the stream: it takes the buffered events.
func (b *clientBench) take() {
	events, _ := takeAll(b.outbox)
	b.got, b.closed = append(b.got, events...), b.outbox.closed
}

// read answers the oldest read, with at most so many events.
func (b *clientBench) read(most int) {
	r := b.pending[0]
	b.pending = b.pending[1:]
	b.step(messages.HistoryRead{Events: numbered(r.after+1, min(b.stored, r.after+messages.Seq(most)))})
}

func (b *clientBench) publish() {
	b.step(b.news[0])
	b.news = b.news[1:]
}

// settle lets everything finish that is under way.
func (b *clientBench) settle() {
	b.fits = func() bool { return true }
	for range 10_000 {
		b.take()
		switch {
		case b.drains > 0:
			b.drains--
			b.step(messages.OutboxDrained{})
		case len(b.news) > 0:
			b.publish()
		case len(b.pending) > 0:
			b.read(7)
		default:
			b.take()
			return
		}
	}
}

// In any order of live events, refusals, drains and reads, the client is given
// every number behind its cursor exactly once and in order, the greeting first and
// the prompts once. A stream that follows a turn ends.
func TestClientIsGivenEverythingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := messages.Seq(rapid.IntRange(0, 60).Draw(t, "history"))
		from := messages.Seq(rapid.IntRange(0, int(before)).Draw(t, "from"))
		b := &clientBench{stored: before}
		b.outbox = NewOutbox(func() { b.drains++ })
		b.fits = func() bool { return len(b.outbox.batches) == 0 || rapid.IntRange(0, 3).Draw(t, "fits") > 0 }
		b.state = State{
			Cursor: from, Head: before, Greeting: fleeting("info"), Prompts: fleeting("ask"),
			Progress: drawProgress(t),
			Follow:   rapid.SampledFrom([]messages.Follow{messages.FollowForever, messages.FollowTurn, messages.FollowAnswers}).Draw(t, "follow"),
		}
		b.perform(b.state.begin())
		progress := b.state.Progress

		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) { checkGiven(t, b.got, from) },
			"commit": func(t *rapid.T) {
				n := messages.Seq(rapid.IntRange(1, 20).Draw(t, "events"))
				progress = drawProgress(t)
				b.news = append(b.news, messages.Published{Events: numbered(b.stored+1, b.stored+n), Head: b.stored + n, Progress: progress})
				b.stored += n
			},
			"fleeting": func(t *rapid.T) {
				b.news = append(b.news, messages.Published{Events: fleeting("lock"), Progress: progress})
			},
			"progress": func(t *rapid.T) {
				progress = drawProgress(t)
				b.news = append(b.news, messages.Published{Progress: progress})
			},
			"finish": func(t *rapid.T) {
				b.step(messages.Finish{})
			},
			"publish": func(t *rapid.T) {
				if len(b.news) == 0 {
					t.Skip()
				}
				b.publish()
			},
			"read": func(t *rapid.T) {
				if len(b.pending) == 0 {
					t.Skip()
				}
				b.read(rapid.IntRange(1, 25).Draw(t, "most"))
			},
			"take": func(t *rapid.T) { b.take() },
			"drained": func(t *rapid.T) {
				if b.drains == 0 {
					t.Skip()
				}
				b.drains--
				b.step(messages.OutboxDrained{})
			},
		})

		b.settle()
		last := checkGiven(t, b.got, from)
		switch {
		case b.state.Follow == messages.FollowTurn && progress != messages.Working && !b.closed:
			t.Fatalf("the turn is over and the stream goes on: %+v", b.state)
		case b.state.Follow == messages.FollowAnswers && progress == messages.Quiescent && !b.closed:
			t.Fatalf("everything is answered and the stream goes on: %+v", b.state)
		case b.state.Follow == messages.FollowForever && b.closed:
			t.Fatal("the stream has ended")
		case !b.closed && last != b.stored:
			t.Fatalf("given up to %d, the journal is at %d: %+v", last, b.stored, b.state)
		case b.closed && b.reports != 1:
			t.Fatalf("the session got %d reports", b.reports)
		}
		asked := 0
		for _, e := range b.got {
			if string(e.Bytes) == "ask" && e.Seq == 0 {
				asked++
			}
		}
		if asked != 1 {
			t.Fatalf("the prompt was pushed %d times", asked)
		}
	})
}

func drawProgress(t *rapid.T) messages.Progress {
	return rapid.SampledFrom([]messages.Progress{messages.Working, messages.Awaiting, messages.Quiescent}).Draw(t, "progress")
}

// checkGiven checks the events that a client was given so far and returns the last number.
func checkGiven(t *rapid.T, got []messages.Event, from messages.Seq) messages.Seq {
	if len(got) > 0 && string(got[0].Bytes) != "info" {
		t.Fatalf("the first event is %q", got[0].Bytes)
	}
	last := from
	for _, e := range got {
		if e.Seq == 0 {
			continue
		}
		if e.Seq != last+1 || string(e.Bytes) != string(numbered(e.Seq, e.Seq)[0].Bytes) {
			t.Fatalf("%d (%x) came after %d: %s", e.Seq, e.Bytes, last, showEvents(got))
		}
		last = e.Seq
	}
	return last
}
