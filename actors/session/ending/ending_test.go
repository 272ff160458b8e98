package ending

import (
	"slices"
	"testing"

	"betcode/actors/internal/process"
	"betcode/actors/run"
	"betcode/messages"
)

func TestReason(t *testing.T) {
	deleted := Ending[string]{}
	deleted.Waiters.Add(Delete, "ann")
	for name, test := range map[string]struct {
		ending Ending[string]
		stop   bool
		agent  Reason
		want   Reason
	}{
		"nothing ends":                    {want: None},
		"the agent is parked":             {agent: Park, want: Park},
		"a restart beats parking":         {ending: Ending[string]{Restart: true}, agent: Park, want: Restart},
		"a stop beats a restart":          {ending: Ending[string]{Restart: true}, stop: true, agent: Restart, want: Stop},
		"a shutdown beats a stop":         {ending: Ending[string]{Shutdown: true}, stop: true, want: Shutdown},
		"a deletion beats everything":     {ending: Ending[string]{Shutdown: true, Restart: true, Waiters: deleted.Waiters}, stop: true, agent: Park, want: Delete},
		"a stop that is saved is no stop": {ending: Ending[string]{SavingStop: true}, want: None},
	} {
		if got := test.ending.Reason(test.stop, test.agent); got != test.want {
			t.Errorf("%s: %d", name, got)
		}
	}
	for r := None; r <= Delete; r++ {
		if final := r == Stop || r == Shutdown || r == Delete; r.Final() != final {
			t.Errorf("reason %d: final is %v", r, r.Final())
		}
	}
}

func TestWaiters(t *testing.T) {
	var w Waiters[string]
	w.Add(Stop, "ann")
	before := w
	w.Add(Stop, "eve")
	w.Add(Delete, "bob")
	if got := w.Take(Stop); !slices.Equal(got, []string{"ann", "eve"}) || len(w[Stop]) != 0 || len(w[Delete]) != 1 {
		t.Errorf("took %v, left %v", got, w)
	}
	if got := w.Take(Stop); got != nil {
		t.Errorf("took %v twice", got)
	}
	if !slices.Equal(before[Stop], []string{"ann"}) {
		t.Errorf("a copy has %v", before[Stop])
	}
}

func TestAfter(t *testing.T) {
	fine, killed := messages.Exit{Known: true}, messages.Exit{Known: true, Signal: "SIGKILL"}
	failed := messages.Exit{Known: true, Code: 1}
	for name, test := range map[string]struct {
		run  Run
		want Next
	}{
		"a deletion beats a condition":            {Run{Reason: Delete, Blocked: true, Busy: true}, Removal},
		"the daemon ends":                         {Run{Reason: Shutdown, Exit: killed, Busy: true}, Rest},
		"a stop beats the loss of the first":      {Run{Reason: Stop, FirstLost: true}, Stopped},
		"a condition beats a crash":               {Run{Exit: killed, Blocked: true, Busy: true}, Blocked},
		"a condition beats the loss":              {Run{Exit: killed, Blocked: true, FirstLost: true}, Blocked},
		"the loss of the first beats its end":     {Run{Exit: failed, FirstLost: true, Unable: true}, Anew},
		"the end shows a condition":               {Run{Reason: Replace, Exit: failed, Unable: true}, Unable},
		"replaced agents may be killed":           {Run{Reason: Replace, Exit: killed, Busy: true}, Work},
		"a crash":                                 {Run{Exit: killed}, Crash},
		"an unknown end":                          {Run{Busy: true}, Crash},
		"another code":                            {Run{Exit: messages.Exit{Known: true, Code: 3}, LastFailed: true}, Crash},
		"code 1 without a failed turn":            {Run{Exit: failed}, Crash},
		"code 1 after a failed turn":              {Run{Exit: failed, LastFailed: true}, Work},
		"code 1 after a failed turn, with work":   {Run{Exit: failed, LastFailed: true, Busy: true}, Retry},
		"a silent exit with work":                 {Run{Exit: fine, Busy: true}, Retry},
		"a silent exit without":                   {Run{Exit: fine}, Work},
		"it was never started":                    {Run{Exit: messages.Exit{Reason: run.NeverStarted}, Busy: true}, Work},
		"its lease ended":                         {Run{Exit: messages.Exit{Reason: process.LeaseEnded, Signal: "SIGTERM"}}, Work},
		"its lease ended in the middle of a turn": {Run{Exit: messages.Exit{Known: true, Reason: process.LeaseEnded}, Busy: true}, Retry},
	} {
		if got := After(test.run); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

func TestOfTurn(t *testing.T) {
	for name, test := range map[string]struct {
		turn Turn
		want Fate
	}{
		"no turn was cut off":          {Turn{Policy: messages.ResumeNever}, Continues},
		"by itself":                    {Turn{Interrupted: true, Policy: messages.ResumeAuto, Count: 2, Most: 2}, Continues},
		"too often":                    {Turn{Interrupted: true, Policy: messages.ResumeAuto, Count: 3, Most: 2}, TooOften},
		"by a person":                  {Turn{Interrupted: true, Policy: messages.ResumeAsk, Count: 9}, Asks},
		"not at all":                   {Turn{Interrupted: true, Policy: messages.ResumeNever, Count: 9}, Over},
		"the fleet was stopped":        {Turn{Interrupted: true, Policy: messages.ResumeNever, Reason: Fleet}, Continues},
		"a person wants a restart":     {Turn{Interrupted: true, Policy: messages.ResumeNever, Waits: true, Restart: true}, Continues},
		"it waits already":             {Turn{Interrupted: true, Policy: messages.ResumeNever, Waits: true}, Waits},
		"it waits without such a turn": {Turn{Waits: true}, Waits},
	} {
		if got := OfTurn(test.turn); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}
