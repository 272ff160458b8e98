package subagent

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"betcode/messages"
)

var dawn = time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)

func TestEnds(t *testing.T) {
	completed := messages.SubagentEnding{Status: messages.SubagentCompleted, Reason: "text"}
	for name, c := range map[string]struct {
		record messages.SubagentRecord
		facts  Facts
		want   messages.SubagentEnding
	}{
		"works":                      {messages.SubagentRecord{Ending: completed}, Facts{Working: true, Live: true}, messages.SubagentEnding{}},
		"its turn has ended":         {messages.SubagentRecord{Ending: completed}, Facts{Live: true}, completed},
		"its agent is being ended":   {messages.SubagentRecord{Ending: completed}, Facts{Live: true, Stopping: true}, messages.SubagentEnding{}},
		"it has ended":               {messages.SubagentRecord{Status: messages.SubagentFailed, Ending: completed}, Facts{}, messages.SubagentEnding{}},
		"stopped by another":         {messages.SubagentRecord{}, Facts{}, messages.SubagentEnding{Status: messages.SubagentCancelled, Reason: Stopped}},
		"no agent follows":           {messages.SubagentRecord{}, Facts{Working: true, GaveUp: "why"}, messages.SubagentEnding{Status: messages.SubagentFailed, Reason: "why"}},
		"it knew how it would end":   {messages.SubagentRecord{Ending: completed}, Facts{GaveUp: "why"}, completed},
		"its agent has not gone yet": {messages.SubagentRecord{}, Facts{Working: true, Live: true, GaveUp: "why"}, messages.SubagentEnding{}},
	} {
		got, ends := Ends(c.record, c.facts)
		if got != c.want || ends != (c.want != messages.SubagentEnding{}) {
			t.Errorf("%s: %v %v, want %v", name, got, ends, c.want)
		}
	}
	ended := End(messages.SubagentRecord{Ending: completed}, completed, 0, dawn, 7)
	if ended.Status != messages.SubagentCompleted || ended.Result != "text" || ended.EndSeq != 7 || !ended.CompletedAt.Equal(dawn) || ended.Ending.Status != messages.SubagentAny {
		t.Errorf("%+v", ended)
	}
	if again := Began(messages.SubagentRecord{Ending: completed}); again.Status != messages.SubagentRunning || again.Ending.Status != messages.SubagentAny {
		t.Errorf("%+v", again)
	}
}

func TestDue(t *testing.T) {
	auto := messages.AutoApprove{Given: true, Until: dawn.Add(time.Minute)}
	for name, c := range map[string]struct {
		record messages.SubagentRecord
		want   time.Time
		what   string
	}{
		"never":                 {},
		"its own time":          {messages.SubagentRecord{Deadline: dawn}, dawn, "the subagent's time"},
		"approvals are first":   {messages.SubagentRecord{Deadline: dawn.Add(time.Hour), Auto: auto}, auto.Until, "the time for which calls were approved"},
		"its own time is first": {messages.SubagentRecord{Deadline: dawn, Auto: auto}, dawn, "the subagent's time"},
		"revoked":               {record: messages.SubagentRecord{Auto: messages.AutoApprove{Given: true, Revoked: true, Until: dawn}}},
		"ended":                 {record: messages.SubagentRecord{Deadline: dawn, Status: messages.SubagentFailed}},
	} {
		if at, what := Due(c.record); !at.Equal(c.want) || what != c.what {
			t.Errorf("%s: %v %q", name, at, what)
		}
	}
}

func TestJudge(t *testing.T) {
	auto := func(change func(*messages.SubagentRecord)) messages.SubagentRecord {
		r := messages.SubagentRecord{Tools: []string{"Read"}, Status: messages.SubagentRunning, Auto: messages.AutoApprove{
			Given: true, Since: dawn, Until: dawn.Add(time.Hour), PerMinute: 2, Minute: 1, Used: 2,
		}}
		if change != nil {
			change(&r)
		}
		return r
	}
	for name, c := range map[string]struct {
		record messages.SubagentRecord
		lacks  bool
		at     time.Duration
		want   Verdict
		again  time.Duration
	}{
		"a person decides":       {record: messages.SubagentRecord{}, want: AskPerson},
		"it was given the tool":  {record: messages.SubagentRecord{Tools: []string{"Read"}}, want: AskPerson},
		"it was not":             {record: messages.SubagentRecord{Tools: []string{"Read"}}, lacks: true, want: Forbid},
		"not after its end":      {record: messages.SubagentRecord{Tools: []string{"Read"}, Status: messages.SubagentCompleted}, lacks: true, want: AskPerson},
		"the first":              {record: auto(func(r *messages.SubagentRecord) { r.Auto.Used = 1 }), want: Approve},
		"another tool":           {record: auto(nil), lacks: true, want: AskPerson},
		"too many":               {record: auto(nil), at: 59 * time.Second, want: Exceeds},
		"the next minute":        {record: auto(nil), at: time.Minute, want: Approve},
		"the clock was set back": {record: auto(func(r *messages.SubagentRecord) { r.Auto.Minute = 5 }), at: -time.Hour, want: Exceeds},
		"it waits":               {record: auto(func(r *messages.SubagentRecord) { r.Auto.Queue = true }), at: 20 * time.Second, want: Wait, again: time.Minute},
		"late":                   {record: auto(nil), at: time.Hour, want: Late},
		"revoked":                {record: auto(func(r *messages.SubagentRecord) { *r = Revoked(*r, "ann", "why not") }), want: AskPerson},
		"revoked, another tool":  {record: auto(func(r *messages.SubagentRecord) { *r = Revoked(*r, "ann", "why not") }), lacks: true, want: AskPerson},
		"approved after the end": {record: auto(func(r *messages.SubagentRecord) { r.Status = messages.SubagentFailed }), want: AskPerson},
	} {
		got, again := Judge(c.record, !c.lacks, dawn.Add(c.at))
		if got != c.want || c.again != 0 && !again.Equal(dawn.Add(c.again)) {
			t.Errorf("%s: %v at %v, want %v", name, got, again, c.want)
		}
	}
}

// No minute since the spawn has more approvals than the rate, whatever the clock does.
func TestRate(t *testing.T) {
	r := messages.SubagentRecord{Tools: []string{"Read"}, Auto: messages.AutoApprove{Given: true, Since: dawn, Until: dawn.Add(time.Hour), PerMinute: 3}}
	used := map[uint64]int{}
	for second := range 600 {
		at := dawn.Add(time.Duration(second) * time.Second)
		if second%7 == 0 {
			at = at.Add(-time.Minute) // a clock that jumps
		}
		if v, _ := Judge(r, true, at); v == Approve {
			r = Approved(r, at)
			used[r.Auto.Minute]++
		}
	}
	for m, n := range used {
		if n > 3 {
			t.Errorf("minute %d has %d approvals", m, n)
		}
	}
	if r.AutoApproved != 30 {
		t.Errorf("%d approvals in ten minutes", r.AutoApproved)
	}
}

func TestCut(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("é", 50), strings.Repeat("x", 31) + "€", "\xff"} {
		if got := Cut(text, 32); len(got) > 32 || !utf8.ValidString(got) || len(text) <= 32 && utf8.ValidString(text) && got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestExitCode(t *testing.T) {
	for _, test := range []struct {
		status messages.SubagentStatus
		agent  int
		want   int32
	}{
		{messages.SubagentCompleted, 3, 0},
		{messages.SubagentFailed, 0, 1},
		{messages.SubagentFailed, 137, 137},
		{messages.SubagentCancelled, 4000, 255},
		{messages.SubagentFailed, -1, 1},
	} {
		if got := ExitCode(messages.SubagentEnding{Status: test.status}, test.agent); got != test.want {
			t.Errorf("%s, agent %d: %d", test.status, test.agent, got)
		}
	}
}

func TestErrors(t *testing.T) {
	if e := ExistsError("spawn subagent", "s1"); e.Kind != messages.AlreadyExists || e.Details["session_id"] != "s1" || e.Hint == "" {
		t.Errorf("%+v", e)
	}
	e := EndedError("send to subagent", "s1", messages.SubagentFailed)
	if e.Kind != messages.WrongState || e.Details["session_id"] != "s1" || !strings.Contains(e.Hint, "betcode attach s1") {
		t.Errorf("%+v", e)
	}
}
