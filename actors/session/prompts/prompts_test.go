package prompts_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"betcode/actors/session/prompts"
	"betcode/messages"
)

var dawn = time.Date(2026, 1, 1, 6, 0, 0, 0, time.UTC)

func request(id messages.RequestID) messages.PermissionRecord {
	return messages.PermissionRecord{
		Request: id, Seq: 1, Tool: "Bash", Input: []byte(`{"command":"ls"}`), ReceivedAt: dawn, ExpiresAt: dawn.Add(time.Hour),
	}
}

func decided(id messages.RequestID, d messages.Decision, by string) messages.PermissionRecord {
	p := request(id)
	p.Decision, p.DecidedBy = d, by
	return p
}

func TestFate(t *testing.T) {
	unscreened, orphan := request("u"), request("o")
	unscreened.Seq, orphan.OrphanedAt = 0, dawn
	for name, c := range map[string]struct {
		p      messages.PermissionRecord
		loaded bool // before a crash
		final  bool
		want   prompts.Fate
	}{
		"undecided":                 {p: request("p"), want: prompts.Kept},
		"undecided at the end":      {p: request("p"), final: true, want: prompts.Withdrawn},
		"not shown yet":             {p: unscreened, want: prompts.Dropped},
		"not shown yet, at the end": {p: unscreened, final: true, want: prompts.Dropped},
		"an orphan":                 {p: orphan, want: prompts.Stays},
		"an orphan at the end":      {p: orphan, final: true, want: prompts.Withdrawn},
		"allowed":                   {p: decided("p", messages.AllowOnce, "ann"), want: prompts.Kept},
		"allowed before a crash":    {p: decided("p", messages.AllowOnce, "ann"), loaded: true, want: prompts.InDoubt},
		"denied before a crash":     {p: decided("p", messages.Deny, "ann"), loaded: true, want: prompts.Kept},
		"allowed for the session":   {p: decided("p", messages.AllowSession, "ann"), want: prompts.Dropped},
		"expired":                   {p: decided("p", messages.DecisionExpired, "deadline"), want: prompts.Dropped},
		"by a rule":                 {p: decided("p", messages.Deny, "rule"), want: prompts.Dropped},
		"by a grant":                {p: decided("p", messages.AllowOnce, "grant"), want: prompts.Dropped},
	} {
		var l prompts.Ledger
		if l.Put(c.p); c.loaded {
			l = prompts.Loaded([]messages.PermissionRecord{c.p})
		}
		if got := l.FateOf(c.p, c.final, "rule"); got != c.want {
			t.Errorf("%s: fate %d, want %d", name, got, c.want)
		}
	}
}

// A kept answer stands for the same call once more, and only before its deadline.
func TestKeptAnswer(t *testing.T) {
	orphan := func(p messages.PermissionRecord) messages.PermissionRecord { p.OrphanedAt = dawn; return p }
	open, answered := orphan(request("open")), orphan(decided("answered", messages.AllowOnce, "ann"))
	again := request("again")
	again.Input = []byte(`{ "command": "ls" }`)
	l := prompts.Loaded([]messages.PermissionRecord{open, answered})
	found, ok, _ := l.KeptFor(dawn, again)
	if !ok || found.Request != "answered" {
		t.Fatalf("found %+v, %v", found, ok)
	}
	p := prompts.Inherit(again, found)
	if p.Request != "again" || p.DecidedBy != "ann" || !slices.Equal(p.Formerly, []messages.RequestID{"answered"}) || !p.ExpiresAt.Equal(answered.ExpiresAt) || p.Orphaned() {
		t.Errorf("inherited %+v", p)
	}
	l.Remove("answered")
	l.Put(p)
	if l.Current("answered") != "again" || l.Current("unknown") != "unknown" {
		t.Errorf("known as %s", l.Current("answered"))
	}
	for name, other := range map[string]func(*messages.PermissionRecord){
		"another tool":  func(p *messages.PermissionRecord) { p.Tool = "Write" },
		"another input": func(p *messages.PermissionRecord) { p.Input = []byte(`{"command":"ls -l"}`) },
		"a question":    func(p *messages.PermissionRecord) { p.Question = true },
	} {
		p := request("open")
		other(&p)
		if found, ok, reused := l.KeptFor(dawn, p); ok || !slices.Equal(reused, []messages.RequestID{"open"}) {
			t.Errorf("%s: %+v, %v", name, found, reused)
		}
	}
	if _, ok, _ := l.KeptFor(dawn.Add(time.Hour), request("late")); ok {
		t.Error("it is used after its deadline")
	}
	p.Formerly = make([]messages.RequestID, prompts.MaxFormerly)
	if got := len(prompts.Inherit(request("x"), p).Formerly); got != prompts.MaxFormerly {
		t.Errorf("%d former ids", got)
	}
}

func TestExtended(t *testing.T) {
	expired := request("expired")
	expired.ExpiresAt = dawn
	l := prompts.Loaded([]messages.PermissionRecord{request("p"), request("answered"), expired, decided("d", messages.Deny, "ann")})
	if got := l.Extended(dawn.Add(time.Second), time.Hour, ""); len(got) > 0 {
		t.Errorf("extended within the pause: %+v", got)
	}
	now := dawn.Add(2 * time.Minute)
	got := l.Extended(now, time.Hour, "answered")
	if len(got) != 1 || got[0].Request != "p" || !got[0].ExpiresAt.Equal(now.Add(time.Hour)) || got[0].ExtensionCount != 1 || !prompts.LastSign(got[0]).Equal(now) {
		t.Errorf("extended %+v", got)
	}
	if shorter := l.Extended(now, time.Minute, ""); len(shorter) > 0 {
		t.Errorf("a deadline moves back: %+v", shorter)
	}
}

// A ledger lists what was put and not removed, in order; a copy does not change with it.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l prompts.Ledger
		want := map[messages.RequestID]messages.PermissionRecord{}
		for n := range rapid.IntRange(1, 40).Draw(t, "steps") {
			before, had := l, l.Len()
			id := messages.RequestID(rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "id"))
			if rapid.Bool().Draw(t, "put") {
				p := request(id)
				p.Seq = messages.Seq(n + 1)
				if rapid.Bool().Draw(t, "orphan") {
					p.OrphanedAt = dawn
				}
				l.Put(p)
				want[id] = p
			} else {
				l.Remove(id)
				delete(want, id)
			}
			if before.Len() != had {
				t.Fatal("a copy has changed")
			}
			list := l.List(prompts.Every)
			if len(list) != len(want) || l.Len() != len(want) || !slices.IsSortedFunc(list, func(a, b messages.PermissionRecord) int { return int(a.Seq) - int(b.Seq) }) {
				t.Fatalf("listed %+v, want %+v", list, want)
			}
			process := false
			for _, p := range want {
				process = process || !p.Orphaned()
			}
			if l.AgentAsks() != process || l.AgentWaits() != process {
				t.Fatalf("the agent asks %v, waits %v, want %v", l.AgentAsks(), l.AgentWaits(), process)
			}
		}
	})
}

func TestRequestsOfCalls(t *testing.T) {
	of := func(change func(p *messages.PermissionRecord)) prompts.Ledger {
		p := request("p")
		p.ToolUse, p.Run = "t1", 2
		change(&p)
		return prompts.Loaded([]messages.PermissionRecord{p})
	}
	for name, c := range map[string]struct {
		ledger      prompts.Ledger
		call        string
		open, waits bool
	}{
		"it waits":              {of(func(*messages.PermissionRecord) {}), "t1", true, true},
		"it was denied":         {of(func(p *messages.PermissionRecord) { p.Decision = messages.Deny }), "t1", true, false},
		"it was allowed":        {of(func(p *messages.PermissionRecord) { p.Decision = messages.AllowOnce }), "t1", false, false},
		"a question, answered":  {of(func(p *messages.PermissionRecord) { p.Decision = messages.DecisionAnswered }), "t1", false, false},
		"of an earlier run":     {of(func(p *messages.PermissionRecord) { p.Run = 1 }), "t1", false, true},
		"its process has ended": {of(func(p *messages.PermissionRecord) { p.OrphanedAt = dawn }), "t1", false, false},
		"another call":          {of(func(*messages.PermissionRecord) {}), "t2", false, false},
		"a call without an id":  {of(func(p *messages.PermissionRecord) { p.ToolUse = "" }), "", false, false},
	} {
		id, open := c.ledger.OfCall(c.call, 2)
		if open != c.open || open != (id == "p") {
			t.Errorf("%s: open %v, %q", name, open, id)
		}
		if got := c.ledger.CallWaits(c.call); got != c.waits {
			t.Errorf("%s: waits %v", name, got)
		}
	}
}

func TestNoQuestionError(t *testing.T) {
	e := prompts.NoQuestionError("answer permission", "p1")
	if e.Op != "answer permission" || e.Kind != messages.Invalid || e.Details["request_id"] != "p1" || e.Hint == "" {
		t.Errorf("%+v", e)
	}
}
