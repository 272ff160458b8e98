package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/go-cmp/cmp"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/recall"
	"betcode/messages"
)

// on delivers a message and compares everything that is done about it, until the
// journal has nothing left to do.
func (b *bench) on(m any, want ...string) {
	b.t.Helper()
	b.tell(m)
	b.expect(fmt.Sprintf("%T", m), want...)
}

func (b *bench) expect(what string, want ...string) {
	b.t.Helper()
	if got := b.quiet(); !slices.Equal(got, want) {
		b.t.Fatalf("%s:\n%s", what, cmp.Diff(want, got))
	}
}

// quiet forgets what was said so far and returns it.
func (b *bench) quiet() []string {
	said := b.said
	b.said, b.effects = nil, nil
	return said
}

// tell delivers a message; the asker is named after the client.
func (b *bench) tell(m any) {
	b.t.Helper()
	b.deliver(asker(m), m)
	for !b.manual && (len(b.waiting) > 0 || b.knocked || len(b.looked) > 0) {
		if len(b.waiting) > 0 {
			b.commit()
			continue
		}
		if len(b.looked) > 0 { // and nothing is found; other answers are given by the tests
			run := b.looked[0].Run
			b.looked = b.looked[1:]
			b.deliver(nil, recall.Answer{Run: run, Known: map[string]bool{}, Found: true})
			continue
		}
		b.knocked = false
		b.deliver(nil, b.place)
	}
}

// unacknowledged reports whether the agent has acknowledged none of the messages
// that are looked for.
func (b *bench) unacknowledged(e readTranscript) bool {
	return !slices.ContainsFunc(b.state.inputs, func(in messages.InputRecord) bool {
		return in.State >= messages.InputQueued && slices.Contains(e.Keys, in.Key)
	})
}

func (b *bench) deliver(from *actor.PID, m any) {
	b.t.Helper()
	next, effects := b.state.step(b.env(), from, m)
	b.state = next
	b.history = append(b.history, fmt.Sprintf("<- %T %s", m, showInput(m)))
	for _, e := range effects {
		b.history = append(b.history, "   "+show(e))
		if p, ok := e.(persist); ok {
			b.handOver(p.Append)
			continue
		}
		if !isDecision(m) && len(b.waiting) > 0 && !waitsForNobody(e) {
			b.t.Fatalf("%T: said while %d commits are under way: %s", m, len(b.waiting), show(e))
		}
		b.checkDurable(e)
		if look, ok := e.(readTranscript); ok && !b.manual && !b.reads && b.unacknowledged(look) {
			b.looked = append(b.looked, look)
			continue
		}
		if after, ok := e.(act.After); ok {
			if slow, ok := after.Message.(inquirySlow); ok {
				b.inquired = slow.request
			}
		}
		if ask, ok := e.(askPool); ok {
			_, b.knocked = ask.message.(pool.Want)
		}
		b.effects = append(b.effects, e)
		if word := show(e); word != "" {
			b.said = append(b.said, word)
		}
	}
	b.checkNumbers()
	if len(b.waiting) == 0 && b.state.durable.failure == nil { // else memory holds what is not on disk
		b.checkRebuild()
	}
}

// waitsForNobody reports whether an effect is one that a full disk asks for: the journal
// may be the one that finds no room.
func waitsForNobody(e act.Effect) bool {
	told, ok := e.(sendToRun)
	_, hold := told.message.(run.Freeze)
	return ok && hold
}

// isDecision reports whether a message is the journal's word on an append.
func isDecision(m any) bool {
	switch m.(type) {
	case messages.Committed, messages.AppendRefused:
		return true
	}
	return false
}

func (b *bench) handOver(a messages.Append) {
	b.t.Helper()
	if b.handed++; a.Commit != b.handed {
		b.t.Fatalf("commit %d was handed over as %d", b.handed, a.Commit)
	}
	if b.handing != nil {
		b.handing(a)
	}
	b.waiting = append(b.waiting, a)
}

// commit lets the journal decide about the oldest append.
func (b *bench) commit() {
	b.t.Helper()
	a := b.waiting[0]
	b.waiting = b.waiting[1:]
	err := b.journal.Apply(a)
	switch {
	case err == nil:
		b.deliver(nil, messages.Committed{Session: a.Session, Commit: a.Commit})
	case err.Code == messages.SessionClosed:
		b.deliver(nil, messages.AppendRefused{Session: a.Session, Commit: a.Commit, Err: err})
	default:
		b.t.Fatalf("the journal refuses commit %d: %v", a.Commit, err)
	}
}

// up says that the newest run has been started.
func (b *bench) up() messages.ProcessStarted {
	run := *b.state.run
	run.State, run.Process = messages.RunRunning, messages.ProcessIdentity{PID: 100 + int(run.Run)}
	return messages.ProcessStarted{Record: run}
}

// adopted says that the newest run was found alive.
func (b *bench) adopted() messages.ProcessStarted {
	m := b.up()
	m.Adopted = true
	return m
}

// out is the next output of the newest run: each item is ten bytes.
func (b *bench) out(items ...claude.Item) run.Output {
	from := b.read
	b.read += 10 * int64(len(items))
	return run.Output{Run: b.state.record.Run, From: from, To: b.read, Items: items, Translator: fmt.Appendf(nil, "at %d", b.read)}
}

// exit is the end of the newest run, with what is known about it.
func (b *bench) exit(code int) messages.RunEnded {
	return messages.RunEnded{Run: b.state.record.Run, Exit: messages.Exit{Known: true, Code: code, Reason: "exited", At: b.now}}
}

// last returns the newest effect of a kind.
func last[E act.Effect](b *bench) E {
	b.t.Helper()
	for _, e := range slices.Backward(b.effects) {
		if found, ok := e.(E); ok {
			return found
		}
	}
	var none E
	b.t.Fatalf("there is no %T among:\n%s", none, strings.Join(b.said, "\n"))
	return none
}

func asker(m any) *actor.PID {
	name := ""
	switch m := m.(type) {
	case messages.StartSession:
		name = string(m.Client)
	case messages.SendInput:
		name = string(m.Client)
	case messages.AnswerPermission:
		name = string(m.Client)
	case messages.CancelTurn:
		name = string(m.Client)
	case messages.TakeLock:
		name = string(m.Client)
	case messages.ReleaseLock:
		name = string(m.Client)
	case messages.RefuseLock:
		name = string(m.Client)
	case messages.ChangeSettings:
		name = string(m.Client)
	case messages.Attach:
		name = m.Stream
	case messages.Request:
		name = "op"
	case EndAgent:
		name = "daemon"
	}
	if name == "" {
		return nil
	}
	return actor.NewPID("here", name)
}
