package actors

import (
	"errors"
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

func TestJournalIsMended(t *testing.T) {
	full := messages.Errorf("append", messages.Unavailable, "no space left")
	s, at := journalState{}, dawn
	for _, c := range []struct {
		after time.Duration
		in    any
		want  string // effects as showMend writes them
	}{
		{0, appendOf(1), "write 1"},
		{0, appendOf(2), ""},
		{0, messages.LoadSession{Session: "s"}, ""},
		{0, journalDone{failure: full}, "refuse 2, refuse load, wake 1s"},
		{0, appendOf(3), "refuse 3"},
		{0, messages.LoadSession{Session: "s"}, "refuse load"},
		{time.Second, mendDue{}, "mend"},
		{0, mended{errors.New("still no space")}, "wake 2s"},
		{2 * time.Second, mendDue{}, "mend"},
		{0, mended{}, "healthy, tell sessions"},
		{0, appendOf(4), "write 4"},
		{time.Second, journalDone{failure: full}, "wake 4s"}, // no new failure: the same one
		{4 * time.Second, mendDue{}, "mend"},
		{0, mended{}, "healthy, tell sessions"},
		{0, appendOf(5), "write 5"},
		{time.Hour, journalDone{failure: full}, "wake 1s"},
	} {
		at = at.Add(c.after)
		next, effects := s.step(at, nil, c.in)
		if got := showMend(effects); got != c.want {
			t.Errorf("%T: %s; want %s", c.in, got, c.want)
		}
		s = next
	}
	for range 20 {
		s, _ = s.step(at, nil, mended{errors.New("never")})
	}
	if s.mend.backoff != mendMost {
		t.Errorf("it waits for %s", s.mend.backoff)
	}
}

func showMend(effects []effect) string {
	var words []string
	for _, e := range effects {
		switch e := e.(type) {
		case reply:
			switch m := e.with.(type) {
			case messages.AppendRefused:
				words = append(words, "refuse "+string('0'+rune(m.Commit)))
			case *messages.Error:
				words = append(words, "refuse load")
			}
		case mendStore:
			words = append(words, "mend")
		case tellHealth:
			words = append(words, "healthy")
		case tellSessions:
			words = append(words, "tell sessions")
		default:
			words = append(words, showJournal([]effect{e}))
		}
	}
	return strings.Join(words, ", ")
}
