package compaction_test

import (
	"testing"
	"time"

	"betcode/actors/session/compaction"
	"betcode/messages"
)

var dawn = time.Date(2026, 1, 1, 6, 0, 0, 0, time.UTC)

// past has a boundary behind 2 messages and a complete exchange behind 6.
func past() messages.Past {
	return messages.Past{
		Boundary: messages.Place{Seq: 10, Messages: 2}, Exchange: messages.Place{Seq: 30, Messages: 6}, ContextTokens: 900,
	}
}

func TestBoundaryMovesWhenItIsDone(t *testing.T) {
	p := past()
	compaction.Begin(&p, "k", messages.CompactionByRequest, 8, dawn)
	if !compaction.UnderWay(&p) || p.Compaction.MessagesBefore != 6 || p.Compaction.To.Seq != 30 {
		t.Fatalf("begun: %+v", p.Compaction)
	}
	compaction.Summarized(&p, 0, 100)
	if failure := compaction.Failure(&p.Compaction); failure != "" {
		t.Fatalf("failure: %s", failure)
	}
	compaction.End(&p, "", 8)
	want := messages.SessionCompacted{Done: true, Boundary: 30, MessagesBefore: 6, MessagesAfter: 2, TokensBefore: 900, TokensAfter: 100}
	if got := compaction.Outcome(&p.Compaction); got != want {
		t.Errorf("outcome %+v, want %+v", got, want)
	}
	if compaction.Possible(&p) || p.Boundary.Seq != 30 {
		t.Errorf("boundary at %d", p.Boundary.Seq)
	}
	if got := compaction.Nothing(&p, 8); !got.Done || got.MessagesBefore != 2 || got.TokensAfter != 100 {
		t.Errorf("once more: %+v", got)
	}
}

func TestNothingChangesWhenItIsUndone(t *testing.T) {
	for name, agent := range map[string]func(*messages.Past){
		"the agent did not get to it": func(*messages.Past) {},
		"out of memory":               func(p *messages.Past) { compaction.Summarized(p, 800, 100); p.Compaction.Failure = "out of memory" },
	} {
		p := past()
		compaction.Begin(&p, "k", messages.CompactionByThreshold, 8, dawn)
		agent(&p)
		if got := compaction.Failure(&p.Compaction); got != name {
			t.Fatalf("failure %q, want %q", got, name)
		}
		compaction.End(&p, name, 8)
		if err, ok := compaction.Outcome(&p.Compaction).(*messages.Error); !ok || err.Code != messages.CompactionFailed {
			t.Errorf("%s: outcome %v", name, compaction.Outcome(&p.Compaction))
		}
		if c := p.Compaction; p.Boundary.Seq != 10 || !compaction.Possible(&p) || c.TokensAfter != c.TokensBefore {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestSummaryWithoutACompaction(t *testing.T) {
	p := past() // the agent compacts by itself
	compaction.Summarized(&p, 900, 50)
	if p.ContextTokens != 50 || p.Compaction != (messages.Compaction{}) {
		t.Errorf("%+v", p)
	}
}

func TestDue(t *testing.T) {
	for _, c := range []struct {
		tokens, after, threshold uint64
		due                      bool
	}{
		{900, 0, 0, false},
		{900, 0, 900, false},
		{901, 0, 900, true},
		{901, 500, 900, false},
		{1001, 500, 900, true}, // what is left has doubled
	} {
		p := messages.Past{ContextTokens: c.tokens, Compaction: messages.Compaction{TokensAfter: c.after}}
		if got := compaction.Due(&p, c.threshold); got != c.due {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestCallerThatHasWaitedLongEnough(t *testing.T) {
	p := past()
	compaction.Begin(&p, "k", messages.CompactionByRequest, 8, dawn)
	got, ok := compaction.SoFar(p.Compaction, 9).(messages.SessionCompacted)
	if !ok || got.Done || got.MessagesAfter != 3 || p.Compaction.MessagesAfter != 0 {
		t.Errorf("%+v, record %+v", got, p.Compaction)
	}
}
