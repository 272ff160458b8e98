package journal

import (
	"errors"
	"strings"
	"testing"
	"time"

	"betcode/actors/internal/act"
	"betcode/messages"
)

func TestJournalIsMended(t *testing.T) {
	full := messages.Errorf("append", messages.Unavailable, "no space left")
	s, at := state{}, dawn
	for _, c := range []struct {
		after time.Duration
		in    any
		want  string // effects as showMend writes them
	}{
		{0, appendOf(1), "write 1"},
		{0, appendOf(2), ""},
		{0, messages.LoadSession{Session: "s"}, ""},
		{0, groupDone{failure: full}, "refuse 2, refuse load, wake 1s"},
		{0, appendOf(3), "refuse 3"},
		{0, messages.LoadSession{Session: "s"}, "refuse load"},
		{time.Second, reopenDue{}, "mend"},
		{0, reopened{errors.New("still no space")}, "wake 2s"},
		{2 * time.Second, reopenDue{}, "mend"},
		{0, reopened{}, "healthy, to sessions"},
		{0, appendOf(4), "write 4"},
		{time.Second, groupDone{failure: full}, "wake 4s"}, // no new failure: the same one
		{4 * time.Second, reopenDue{}, "mend"},
		{0, reopened{}, "healthy, to sessions"},
		{0, appendOf(5), "write 5"},
		{time.Hour, groupDone{failure: full}, "wake 1s"},
	} {
		at = at.Add(c.after)
		next, effects := s.step(at, nil, c.in)
		if got := showMend(effects); got != c.want {
			t.Errorf("%T: %s; want %s", c.in, got, c.want)
		}
		s = next
	}
	for range 20 {
		s, _ = s.step(at, nil, reopened{errors.New("never")})
	}
	if s.recovery.backoff != reopenMost {
		t.Errorf("it waits for %s", s.recovery.backoff)
	}
}

func showMend(effects []act.Effect) string {
	var words []string
	for _, e := range effects {
		switch e := e.(type) {
		case act.Reply:
			switch m := e.With.(type) {
			case messages.AppendRefused:
				words = append(words, "refuse "+string('0'+rune(m.Commit)))
			case *messages.Error:
				words = append(words, "refuse load")
			}
		case reopenStore:
			words = append(words, "mend")
		case toHealth:
			words = append(words, "healthy")
		case toSessions:
			words = append(words, "to sessions")
		default:
			words = append(words, showJournal([]act.Effect{e}))
		}
	}
	return strings.Join(words, ", ")
}
