package session

import (
	"slices"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/messages"
)

// What an agent tells with its turns is remembered once; asked, it is asked once for
// all who want to know meanwhile.
func TestAbilities(t *testing.T) {
	b := running(t)
	named := claude.TurnStarted{AgentSession: string(sessionA), Abilities: messages.Abilities{Commands: []messages.AgentCommand{{Name: "a"}, {Name: "b"}}, Skills: []string{"a"}}}
	b.tell(b.out(heard("k1", claude.Started), named))
	if said := b.quiet(); said[len(said)-1] != "remember 2 commands" {
		t.Errorf("%q", said)
	}
	b.tell(b.out(finished("k1")))
	b.quiet()
	b.on(b.out(named), "all: 6 THINKING") // nothing new
	get := messages.GetAbilities{Session: sessionA}
	b.on(get, "run 1: control initialize", "in 2s session.inquirySlow")
	request := b.inquired
	b.on(get)
	b.on(b.out(claude.ControlAnswered{Request: request, OK: true, Response: []byte(`{"commands":[{"name":"a"}]}`)}),
		"remember 1 commands", "to op: 1 commands, fresh true", "to op: 1 commands, fresh true")
	b.on(inquirySlow{request})
	b.on(get, "run 1: control initialize", "in 2s session.inquirySlow")
	slow := b.inquired
	b.on(inquirySlow{slow}, "to op: 0 commands, fresh false")
	b.on(b.out(claude.ControlAnswered{Request: slow, OK: true, Response: []byte(`{}`)})) // nobody waits
	for _, bad := range []claude.ControlAnswered{{Error: "no"}, {OK: true, Response: []byte(`7`)}} {
		b.tell(get)
		b.quiet()
		bad.Request = b.inquired
		b.on(b.out(bad), "to op: 0 commands, fresh false")
	}
}

// That the agent has answered us is no use of the session: it stays where it is in the
// list, also when the answer comes after the turn.
func TestAnswersAreNoUse(t *testing.T) {
	b := remembering(t)
	b.tell(messages.GetAbilities{Session: sessionA})
	b.quiet()
	before, read := b.state.record.UpdatedAt, b.state.cursor.Offset
	b.now = b.now.Add(time.Hour)
	b.tell(b.out(claude.ControlAnswered{Request: b.inquired, OK: true, Response: []byte(`{}`)}))
	b.tell(b.out(claude.BackgroundTasks{}))
	if r := b.journal.Record; !r.UpdatedAt.Equal(before) || b.state.cursor.Offset <= read {
		t.Errorf("updated at %s, before at %s; read to %d", r.UpdatedAt, before, b.state.cursor.Offset)
	}
	b.tell(b.out(claude.BackgroundTasks{IDs: []string{"x"}}))
	if r := b.journal.Record; !r.UpdatedAt.Equal(before) {
		t.Errorf("a background task is no turn: %s", r.UpdatedAt)
	}
	b.tell(b.out(claude.TurnStarted{}))
	if r := b.journal.Record; !r.UpdatedAt.Equal(b.now) {
		t.Errorf("a turn is use: %s", r.UpdatedAt)
	}
	b.quiet()
}

// Nobody waits for an agent that is gone, and none is started to be asked.
func TestAbilitiesOfNoAgent(t *testing.T) {
	b := remembering(t)
	get := messages.GetAbilities{Session: sessionA}
	b.tell(get)
	b.quiet()
	b.tell(b.exit(0))
	if said := b.quiet(); !slices.Contains(said, "to op: 0 commands, fresh false") {
		t.Errorf("%q", said)
	}
	b.on(get, "to op: 0 commands, fresh false")
	n := newBench(t)
	n.on(get, "to op: not found SESSION_NOT_FOUND", "retire")
}

// What the agent says of itself is kept when it changes, and then it is asked for the
// rest, unless it is being asked.
func TestReported(t *testing.T) {
	b := turning(t)
	says := claude.TurnStarted{Version: "2.1.0", Tools: []string{"Bash"}, Servers: []claude.McpServer{{Name: "x", Status: "pending"}}}
	b.on(b.out(says), "keep the report of 1 tools, 1 servers", "run 1: control initialize", "in 2s session.inquirySlow")
	b.on(b.out(says)) // nothing new
	says.Servers = []claude.McpServer{{Name: "x", Status: "connected"}}
	b.on(b.out(says), "keep the report of 1 tools, 1 servers")
	b.on(b.out(claude.ControlAnswered{Request: b.inquired, OK: true, Response: []byte(`{"models":[{"value":"opus"}]}`)}), "remember 0 commands")
	b.on(b.out(claude.TurnStarted{}))
}

// A limit is noted, and what it refused is not tried again: no start, no write and no
// timer follows.
func TestRateLimit(t *testing.T) {
	failed := claude.TurnEnded{Inputs: []string{"k1"}, IsError: true, Subtype: "success", Failure: "RATE_LIMITED", Error: "429"}
	b := turning(t)
	b.quiet()
	end := b.now.Add(time.Hour)
	b.on(b.out(claude.RateLimited{Until: end, Kind: "five_hour"}))
	b.on(b.out(claude.RateLimited{}, failed), "all: 6 IDLE")
	want := messages.RateLimit{Since: b.now, Until: end, Kind: "five_hour"}
	if got := b.state.record.RateLimit; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	b.crash()
	b.quiet()
	if got := b.state.record.RateLimit; got != want {
		t.Errorf("after a crash of the daemon: %+v, want %+v", got, want)
	}
	b.tell(b.adopted())
	b.tell(b.out(claude.TurnEnded{LocalCommand: true}))
	if !b.state.record.RateLimit.Holds(b.now) {
		t.Error("a command that needs no request ends the limit")
	}
	b.tell(b.out(claude.TurnEnded{StopReason: "end_turn"}))
	if got := b.state.record.RateLimit; got != (messages.RateLimit{}) {
		t.Errorf("after a success: %+v", got)
	}
}

func TestRateLimitHolds(t *testing.T) {
	for _, test := range []struct {
		limit messages.RateLimit
		holds bool
	}{
		{messages.RateLimit{}, false},
		{messages.RateLimit{Since: dawn}, true},
		{messages.RateLimit{Since: dawn, Until: dawn.Add(time.Second)}, true},
		{messages.RateLimit{Since: dawn, Until: dawn}, false},
	} {
		if got := test.limit.Holds(dawn); got != test.holds {
			t.Errorf("%+v: %v", test.limit, got)
		}
	}
}

// TestLimitIsReported: the pool hears of a limit with an end that holds for the whole account.
func TestLimitIsReported(t *testing.T) {
	for _, test := range []struct {
		kind    string
		known   bool
		reports bool
	}{{"five_hour", true, true}, {"seven_day", true, true}, {"", true, true}, {"seven_day_opus", true, false}, {"five_hour", false, false}} {
		b := turning(t)
		b.toldPool()
		m := claude.RateLimited{Kind: test.kind}
		if test.known {
			m.Until = b.now.Add(time.Hour)
		}
		b.tell(b.out(m))
		told := b.toldPool()
		want := any(pool.Limited{Session: sessionA, Kind: test.kind, Until: m.Until})
		if test.reports && (len(told) != 1 || told[0] != want) || !test.reports && len(told) != 0 {
			t.Errorf("%+v: the pool hears %+v", test, told)
		}
	}
}

// TestAccount: sessions with configuration directories of their own are other accounts.
func TestAccount(t *testing.T) {
	for account, environment := range map[string]map[string]string{"": nil, "/a": {"CLAUDE_CONFIG_DIR": "/a", "HOME": "/b"}, "/b": {"HOME": "/b"}} {
		s := state{record: messages.SessionRecord{Environment: environment}}
		if got := s.account(); got != account {
			t.Errorf("%v: %q", environment, got)
		}
	}
}
