//go:build linux

package bench

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
	"betcode/persistence"
	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// history writes a past into a journal, without a daemon.
type history struct {
	testing.TB
	store    *persistence.Store
	sessions []*past
	project  string
}

// past is one session that has rested for long.
type past struct {
	id      messages.SessionID
	head    messages.Seq
	commits uint64
}

// newHistory opens a journal for so many sessions.
func newHistory(tb testing.TB, o persistence.Options, project string, sessions int) *history {
	tb.Helper()
	store, err := persistence.Open(o)
	if err != nil {
		tb.Fatal(err)
	}
	h := &history{TB: tb, store: store, project: project}
	for range sessions {
		h.sessions = append(h.sessions, &past{id: messages.SessionID(uuid.NewString())})
	}
	return h
}

func (h *history) close() {
	h.Helper()
	if err := h.store.Close(); err != nil {
		h.Error(err)
	}
}

// write appends so many events, in transactions of up to a thousand appends of
// some sessions, and seals when that is due, as the daemon does.
func (h *history) write(events, perAppend int) {
	h.Helper()
	for next := 0; events > 0; {
		var group []messages.Append
		for len(group) < min(1000, len(h.sessions)) && events > 0 {
			n := min(perAppend, events)
			group = append(group, h.append(h.sessions[next%len(h.sessions)], n))
			events, next = events-n, next+1
		}
		h.commit(group)
		if h.store.SealDue() {
			if err := h.store.Seal(); err != nil {
				h.Fatal(err)
			}
		}
	}
}

func (h *history) commit(group []messages.Append) {
	h.Helper()
	for _, err := range h.store.Commit(group) {
		if err != nil {
			h.Fatal(err)
		}
	}
}

// commitEach appends one event to each of some sessions.
func (h *history) commitEach(places []int) {
	h.Helper()
	group := make([]messages.Append, 0, len(places))
	for _, p := range places {
		group = append(group, h.append(h.sessions[p], 1))
	}
	h.commit(group)
}

// append generates the next events of a session.
func (h *history) append(s *past, events int) messages.Append {
	now := time.Now()
	s.commits++
	a := messages.Append{Session: s.id, Commit: s.commits, Expect: s.head}
	for range events {
		s.head++
		bytes, err := proto.Marshal(&pb.AgentEvent{
			Sequence: uint64(s.head), Timestamp: timestamppb.New(now), SessionId: string(s.id),
			Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: fmt.Sprintf("%0*d", textSize, s.head), BlockId: "msg_0123456789abcdef/0"}},
		})
		if err != nil {
			panic(err)
		}
		a.Events = append(a.Events, messages.Event{Seq: s.head, Bytes: bytes})
	}
	a.Record = &messages.SessionRecord{
		ID: s.id, WorkingDirectory: h.project, Phase: messages.PhaseIdle, Head: s.head, CreatedAt: now, UpdatedAt: now,
		Status: pb.AgentStatus_IDLE.String(), Preview: "done",
	}
	return a
}

// oldWorld is a world whose journal has a past: ten thousand sessions, one
// gigabyte.
func oldWorld(b *testing.B) *kit.World {
	sessions, events := 10_000, 5_000_000
	if testing.Short() {
		sessions, events = sessions/10, events/10
	}
	w, err := kit.NewWorld(binaries.betcode, binaries.agent)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := w.Remove(); err != nil {
			b.Error(err)
		}
	})
	h := newHistory(b, persistence.Options{Directory: filepath.Join(w.StateDir(), "journal")}, w.Project, sessions)
	h.write(events, 50)
	h.close()
	return w
}
