package session

import (
	"fmt"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/act"
	"betcode/actors/run"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// checkDurable checks that what an effect tells is on disk.
func (b *bench) checkDurable(e act.Effect) {
	b.t.Helper()
	bad := func(format string, args ...any) {
		b.t.Helper()
		b.t.Fatalf("%s: %s", show(e), fmt.Sprintf(format, args...))
	}
	switch e := e.(type) {
	case publish:
		for _, event := range e.events {
			if event.Seq == 0 {
				continue
			}
			if b.shown++; event.Seq != b.shown || !b.journal.Has(event) {
				bad("%d is not in the journal, or not the next; the head is %d", event.Seq, b.journal.Head())
			}
		}
		if first := firstNumber(e.events); first > 0 && e.head != b.shown {
			bad("the head is told as %d", e.head)
		}
	case act.Reply:
		if m, ok := e.With.(messages.InputAcknowledged); ok {
			var event pb.AgentEvent
			if m.Seq > b.journal.Head() || proto.Unmarshal(b.journal.Events[m.Seq-1].Bytes, &event) != nil || event.GetUserInput().GetIdempotencyKey() != m.Key {
				bad("its event is not in the journal")
			}
		}
	case spawnRun:
		if run, known := b.journal.Runs[e.record.Run]; !known || !cmp.Equal(run, e.record) || e.cursor.Run != e.record.Run {
			bad("the journal has %+v", run)
		}
		b.read = e.cursor.Offset
	case spawnPermission:
		if p, known := b.journal.Permissions[e.record.Request]; known && p.Seq < e.record.Seq {
			bad("the journal has %+v", p)
		}
	case sendToRun:
		switch m := e.message.(type) {
		case run.WriteInput:
			if in, known := b.journal.Inputs[m.Key]; m.Long && known && in.State != messages.InputWriting {
				bad("the journal has it in state %d", in.State)
			}
		case run.WriteAnswer:
			if p, known := b.journal.Permissions[m.Request]; known && p.Decision == messages.Undecided && !b.reuses {
				bad("the journal has it undecided")
			}
		}
	}
}

// checkNumbers checks that the numbers of the session are dense.
func (b *bench) checkNumbers() {
	b.t.Helper()
	if !b.state.durable.loaded || !b.state.exists {
		return
	}
	head := b.journal.Head()
	for _, a := range b.waiting {
		for _, e := range a.Events {
			if head++; e.Seq != head {
				b.t.Fatalf("commit %d: event %d is number %d", a.Commit, head, e.Seq)
			}
		}
	}
	if b.state.record.Head != head {
		b.t.Fatalf("the session is at %d, its events are at %d", b.state.record.Head, head)
	}
}

// checkRebuild checks that a session that is loaded from the journal now is what
// this one is, in what matters; and that it can go on from there.
func (b *bench) checkRebuild() {
	b.t.Helper()
	if !b.state.durable.loaded {
		return
	}
	kept := b.journal.Loaded()
	if kept.Found != b.state.exists {
		b.t.Fatalf("the journal knows the session: %v, the session itself: %v", kept.Found, b.state.exists)
	}
	if !kept.Found {
		return
	}
	compare := func(what string, kept, live any) {
		b.t.Helper()
		if diff := cmp.Diff(kept, live); diff != "" {
			b.t.Fatalf("%s in the journal (-) and in the session (+):\n%s", what, diff)
		}
	}
	compare("record", kept.Record, b.state.record)
	compare("run", kept.Run, b.state.run)
	compare("permissions", kept.Permissions, b.state.prompts.List(prompts.Every))
	compare("inputs", essence(kept.Inputs), essence(b.state.inputs))
	if b.state.run != nil {
		compare("offset", kept.Cursor.Offset, b.state.cursor.Offset)
		compare("translator", string(kept.Cursor.Translator), string(b.state.cursor.Translator))
	}

	now := b.env()
	now.stopSaved = false
	again, effects := state{id: sessionA, options: benchOptions.ownSettings()}.step(now, nil, kept)
	copied := b.journal.Clone()
	for _, e := range effects {
		if p, ok := e.(persist); ok {
			if err := copied.Apply(p.Append); err != nil {
				b.t.Fatalf("what a rebuilt session writes first is refused: %v", err)
			}
		}
	}
	if !kept.Record.StopWanted && len(again.inputs) != len(kept.Inputs) {
		b.t.Fatalf("a rebuilt session has %d inputs, the journal %d", len(again.inputs), len(kept.Inputs))
	}
}

// essence is what of inputs must be the same in journal and memory. How far one
// has come with its run may be ahead in the journal: behind a barrier the session
// knows better.
func essence(inputs []messages.InputRecord) []messages.InputRecord {
	var same []messages.InputRecord
	for _, in := range inputs {
		if in.State <= messages.InputWritten && in.State != messages.InputWriting {
			in.State, in.Run = messages.InputAccepted, 0
		}
		same = append(same, in)
	}
	return same
}

// firstNumber returns the first journaled number among events, 0 if none is.
func firstNumber(events []messages.Event) messages.Seq {
	for _, e := range events {
		if e.Seq > 0 {
			return e.Seq
		}
	}
	return 0
}
