package health

import (
	"errors"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/go-cmp/cmp"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// asks is a request of a named caller at a time.
func (s state) asks(at time.Time, who string) (state, []act.Effect) {
	return s.step(at, actor.NewPID("", who), messages.GetHealth{})
}

// answersTo returns the names of the callers that are answered.
func answersTo(effects []act.Effect) (names []string) {
	for _, e := range effects {
		if a, ok := e.(answerHealth); ok {
			for _, pid := range a.to {
				names = append(names, pid.Id)
			}
		}
	}
	return names
}

func tries(effects []act.Effect) (n int) {
	for _, e := range effects {
		if _, ok := e.(try); ok {
			n++
		}
	}
	return n
}

// TestHealthTriesTheJournal: a request after a long silence waits for one write, requests
// during the write wait for the same one, and for half a minute no request causes another.
func TestHealthTriesTheJournal(t *testing.T) {
	at := dawn
	s, effects := state{}.asks(at, "a")
	if tries(effects) != 1 || len(answersTo(effects)) != 0 {
		t.Fatalf("the first question: %v", effects)
	}
	if s, effects = s.asks(at.Add(time.Second), "b"); len(effects) != 0 {
		t.Fatalf("a question meanwhile: %v", effects)
	}
	s, effects = s.step(at.Add(time.Second), nil, JournalTried{})
	if diff := cmp.Diff([]string{"a", "b"}, answersTo(effects)); diff != "" {
		t.Fatal(diff)
	}
	if c := s.store(at); !c.Serving || !c.Checked.Equal(at.Add(time.Second)) {
		t.Errorf("%+v", c)
	}
	if s, effects = s.step(at.Add(2*time.Second), nil, tryIsSlow{}); len(effects) != 0 {
		t.Errorf("a timer that is too late: %v", effects)
	}
	s, effects = s.asks(at.Add(30*time.Second), "c")
	if tries(effects) != 0 || len(answersTo(effects)) != 1 {
		t.Errorf("a question soon after: %v", effects)
	}
	if _, effects = s.asks(at.Add(31*time.Second), "d"); tries(effects) != 1 {
		t.Errorf("a question later: %v", effects)
	}
}

// TestHealthOfAHangingDisk: no caller waits longer than two seconds. After half a minute
// the journal does not serve, and it is tried again then, since a try may be lost.
func TestHealthOfAHangingDisk(t *testing.T) {
	at := dawn
	s, _ := state{}.asks(at, "a")
	s, effects := s.step(at.Add(2*time.Second), nil, tryIsSlow{})
	if len(answersTo(effects)) != 1 || !s.store(at.Add(2*time.Second)).Serving {
		t.Errorf("slow: %v", effects)
	}
	s, effects = s.asks(at.Add(10*time.Second), "b")
	if tries(effects) != 0 || len(answersTo(effects)) != 1 {
		t.Errorf("still slow: %v", effects)
	}
	s, effects = s.asks(at.Add(30*time.Second), "c")
	if tries(effects) != 1 || len(answersTo(effects)) != 1 {
		t.Errorf("hanging: %v", effects)
	}
	if c := s.store(at.Add(30 * time.Second)); c.Serving || c.Reason == "" {
		t.Errorf("%+v", c)
	}
	if s, _ = s.step(at.Add(40*time.Second), nil, JournalTried{}); !s.store(at.Add(40 * time.Second)).Serving {
		t.Error("it was written in the end")
	}
}

// TestHealthReports: a report of the journal counts more than a try, and
// is effective until its next report.
func TestHealthReports(t *testing.T) {
	at := dawn
	s, _ := state{}.step(at, nil, Journal{errors.New("no room")})
	s, effects := s.asks(at.Add(time.Hour), "a")
	if tries(effects) != 0 || len(answersTo(effects)) != 1 {
		t.Errorf("%v", effects)
	}
	if c := s.store(at); c.Serving || c.Message != "no room" {
		t.Errorf("%+v", c)
	}
	if s, _ = s.step(at, nil, Journal{}); !s.store(at).Serving {
		t.Error("it works again")
	}
	s, _ = s.step(at, nil, JournalTried{errors.New("read only")})
	if s.store(at).Serving {
		t.Error("the try failed")
	}
	if _, effects = s.asks(at.Add(30*time.Second), "b"); tries(effects) != 1 {
		t.Error("a try that failed is made again")
	}
}

// TestDegraded walks the table of the API document.
func TestDegraded(t *testing.T) {
	for name, test := range map[string]struct {
		is      messages.ComponentHealth
		serving bool
		state   string
	}{
		"free slots":       {Pool{Used: 3, Limit: 5, Queue: 2}.view(dawn), true, ""},
		"all in use":       {Pool{Used: 5, Limit: 5, Queue: 2}.view(dawn), true, ""},
		"somebody waits":   {Pool{Used: 5, Limit: 5, Waiting: 1, Queue: 2}.view(dawn), true, "subprocess_pool_full"},
		"queue full":       {Pool{Used: 5, Limit: 5, Waiting: 2, Queue: 2}.view(dawn), false, "subprocess_pool_full"},
		"little memory":    {memoryView(dawn, 80, 100), true, ""},
		"much memory":      {memoryView(dawn, 81, 100), false, "high_memory"},
		"disk full":        {Disk{Full: true}.view(dawn), false, "disk_full"},
		"disk not known":   {Disk{Err: errors.New("x")}.view(dawn), false, "disk_unknown"},
		"room on the disk": {Disk{}.view(dawn), true, ""},
	} {
		c := test.is
		if c.Serving != test.serving || c.State != test.state || c.Degraded() != (test.state != "") || (c.Reason == "") != (test.state == "") {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if n := len((state{}).components(dawn, 1, 0)); n != 3 {
		t.Errorf("%d components without a limit of memory", n)
	}
	if memoryUsed() < 1<<20 {
		t.Error("this process uses more memory than that")
	}
}
