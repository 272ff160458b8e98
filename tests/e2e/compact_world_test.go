package e2e

import (
	"os"
	"path/filepath"
	"testing"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// The agent of these stories summarises when the file gate is there.

func newCompactStory(t *testing.T) (s *story, gate string) {
	t.Helper()
	gate = filepath.Join(t.TempDir(), "gate")
	return newStory(t, binaries.fake, "FAKE_AGENT_COMPACT="+gate), gate
}

func (s *story) open(gate, outcome string) {
	s.Helper()
	if err := os.WriteFile(gate+".new", []byte(outcome), 0o600); err != nil {
		s.Fatal(err)
	}
	if err := os.Rename(gate+".new", gate); err != nil {
		s.Fatal(err)
	}
}

// talk has exchanges with the agent and returns where the last of them begins.
func (s *story) talk(c *kit.Stream, texts ...string) (next int, last uint64) {
	s.Helper()
	for _, text := range texts {
		key := s.say(c, "echo:"+text)
		var e kit.Event
		e, next = s.wait(c, next, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == key })
		last = e.GetSequence()
		_, next = s.wait(c, next, kit.IsIdle)
	}
	return next, last
}

// compaction is a CompactSession under way.
type compaction struct {
	answer *pb.CompactSessionResponse
	err    error
}

// compact asks in the background, again and again for as long as the daemon is
// away, as a client with a key may.
func (s *story) compact(id, key string) <-chan compaction {
	done := make(chan compaction, 1)
	agents := s.daemon.Agents()
	go func() {
		answer, err := agents.CompactSession(s.Context(), &pb.CompactSessionRequest{SessionId: id, IdempotencyKey: key})
		done <- compaction{answer, err}
	}()
	return done
}

func isCompactedInfo(e kit.Event) bool { return e.GetSessionInfo().GetIsCompacted() }

// replay returns the events that a new client gets after sequence from.
func (s *story) replay(id string, from uint64) []kit.Event {
	s.Helper()
	stream, err := s.daemon.Resume(s.Context(), id, from)
	if err != nil {
		s.Fatal(err)
	}
	if err := stream.WaitEnd(); err != nil {
		s.Fatal(err)
	}
	return stream.Events()
}

// sameHistoryBehind compares the replay of a compacted session with the received events.
func (s *story) sameHistoryBehind(c *kit.Stream, id string) {
	s.Helper()
	events := s.replay(id, 0)
	seen, err := kit.Journaled(c.Events(), 1)
	if err != nil {
		s.Fatal(err)
	}
	first := uint64(0)
	for _, e := range events {
		if first = e.GetSequence(); first > 0 {
			break
		}
	}
	left, err := kit.Journaled(events, first)
	if err != nil || first < 2 {
		s.Fatalf("the replay begins with %d: %v", first, err)
	}
	mine := seen[first-1:]
	if err := kit.Same(mine, left[:len(mine)]); err != nil {
		s.Error(err)
	}
}
