package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

func TestArrange(t *testing.T) {
	app := (&program{Console: &console.Console{}}).app()
	for _, test := range []struct{ given, want string }{
		{"", ""},
		{"tree", "tree"},
		{"run|fix it|--model|opus", "run|--model|opus|fix it"},
		{"run|fix it|--model=opus|now", "run|--model=opus|fix it|now"},
		{"session|list|--socket|/s|--json", "--socket|/s|session|list|--json"},
		{"session|ls|-q|--start", "--start|session|ls|-q"},
		{"run|-|--file|x", "run|--file|x|-"},
		{"run|--|--model|is a word", "run|--|--model|is a word"},
		{"run|-v|--|-x", "run|-v|--|-x"},
		{"run|session|list", "run|session|list"},
		{"run|-c|more", "run|-c|more"},
		{"permission|deny|req|-m|no|please", "permission|deny|-m|no|req|please"},
		{"daemon|run|--nonsense|x", "daemon|run|--nonsense|x"},
		{"run|--model", "run|--model"},
		{"config|set|resume.times|-3", "config|set|--|resume.times|-3"},
		{"config|set|--project|x|-1.5h", "config|set|--project|--|x|-1.5h"},
		{"session|list|--limit|-3", "session|list|--limit|-3"},
		{"help|exit-codes", "exit-codes"},
		{"--socket|/s|help|environment", "--socket|/s|environment"},
		{"help|run", "help|run"},
		{"help", "help"},
	} {
		args := []string{"betcode"}
		if test.given != "" {
			args = append(args, strings.Split(test.given, "|")...)
		}
		if got := strings.Join(arrange(app, args)[1:], "|"); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.given, got, test.want)
		}
	}
}

func TestWriteStatus(t *testing.T) {
	want := `Daemon: SERVING (degraded)
  subprocess_pool: SERVING (3/5 slots used)
  sqlite: SERVING
  local_server: SERVING
  tunnel: NOT_SERVING (relay connection failed, retrying)

Degraded: Relay tunnel not connected. Remote access unavailable.
Degraded states: relay_down, agents_frozen
Uptime: 2h 34m
Version: 0.1.0-alpha.1
`
	var got bytes.Buffer
	writeStatus(&got, exampleHealth(), false)
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}

func TestWriteTree(t *testing.T) {
	want := `daemon  running
├── journal  running  mailbox=2
└── sessions  running
    └── session/3f2a  backing off  restarts=2  backoff=1.5s  head=7  phase=idle  error: boom\x1b[2J
`
	var got bytes.Buffer
	writeTree(&got, exampleTree(), false, time.Now())
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}

func TestWriteSessions(t *testing.T) {
	list := &pb.ListSessionsResponse{Sessions: exampleSessions("/w")}
	list.Sessions[1].Asks, list.Sessions[1].Undecided = "touch \u202ex", 2
	now := time.Date(2026, 1, 2, 5, 4, 5, 0, time.UTC)
	var program, person bytes.Buffer
	if err := writeSessions(&program, list, console.Terminal{}, now); err != nil {
		t.Fatal(err)
	}
	if want := sessionA + "\tdemo\tidle\topus\t4\t$0.50\t2026-01-02T03:04:05Z\t/w\tdone and done\t\n" +
		sessionB + "\t\tactive\t\t0\t$0.00\t2026-01-02T03:04:05Z\t/elsewhere\t\ttouch \\u202ex (1 of 2)\n"; program.String() != want {
		t.Errorf("got\n%q\nwant\n%q", &program, want)
	}
	if err := writeSessions(&person, list, console.Terminal{Out: true}, now); err != nil {
		t.Fatal(err)
	}
	if want := `ID        NAME  STATUS  MODEL  MESSAGES  COST   UPDATED  DIRECTORY   LAST           ASKS
3f2a0000  demo  idle    opus   4         $0.50  2h ago   /w          done and done
7c810000        active         0         $0.00  2h ago   /elsewhere                 touch \u202ex (1 of 2)
`; person.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &person, want)
	}
}

func TestTools(t *testing.T) {
	got := tools([]string{"Read, Bash(git log, x),", "Edit(a)b)", "mcp__x"})
	if want := []string{"Read", "Bash(git log, x)", "Edit(a)b)", "mcp__x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRendererKnowsEveryEvent: an event that the API has is shown on purpose, or
// left out on purpose.
func TestRendererKnowsEveryEvent(t *testing.T) {
	fields := (&pb.AgentEvent{}).ProtoReflect().Descriptor().Oneofs().ByName("event").Fields()
	silent := map[protoreflect.Name]bool{"permission_request": true, "user_question": true, "todo_update": true, "turn_complete": true, "text_delta": true, "retraction": true}
	for i := range fields.Len() {
		e := &pb.AgentEvent{}
		m := e.ProtoReflect()
		m.Set(fields.Get(i), m.NewField(fields.Get(i)))
		var out bytes.Buffer
		r := &renderer{w: &out, verbose: true}
		r.session, r.model = "x", "" // so that an empty SessionInfo is news
		r.event(e)
		if name := fields.Get(i).Name(); out.Len() == 0 != silent[name] {
			t.Errorf("%s shows %q", name, &out)
		}
	}
}

func TestRenderer(t *testing.T) {
	delta := func(block, text string, complete bool) *pb.AgentEvent {
		return &pb.AgentEvent{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{BlockId: block, Text: text, IsComplete: complete}}}
	}
	var out bytes.Buffer
	r := &renderer{w: &out, own: map[string]bool{"mine": true}}
	for _, e := range []*pb.AgentEvent{
		{Event: &pb.AgentEvent_SessionInfo{SessionInfo: &pb.SessionInfo{SessionId: "s", Model: "opus"}}},
		{Sequence: 1, Event: &pb.AgentEvent_SessionInfo{SessionInfo: &pb.SessionInfo{SessionId: "s", Model: "opus"}}},
		{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "mine", IdempotencyKey: "mine"}}},
		{Event: &pb.AgentEvent_UserInput{UserInput: &pb.UserInput{Content: "theirs\ntoo", IdempotencyKey: "other"}}},
		delta("1", "Let me ", false), delta("1", "see.", true),
		{Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: "hm", Thinking: true}}},
		calls("Bash", "ls -l"),
		{Event: &pb.AgentEvent_ToolCallResult{ToolCallResult: &pb.ToolCallResult{Output: "1\n2\n3\n4\n5\n6\n7\n8\n"}}},
		delta("2", "half", false),
		{Event: &pb.AgentEvent_Error{Error: &pb.ErrorEvent{Message: "no\x1b"}}},
		{ParentToolUseId: "t", Event: &pb.AgentEvent_TextDelta{TextDelta: &pb.TextDelta{Text: "a subagent"}}},
		{Event: &pb.AgentEvent_Usage{Usage: &pb.UsageReport{InputTokens: 1, OutputTokens: 2, CostUsd: 0.5, DurationMs: 1500}}},
		{Event: &pb.AgentEvent_TurnComplete{TurnComplete: &pb.TurnComplete{IsError: true, Error: "overloaded"}}},
		{Event: &pb.AgentEvent_Run{Run: &pb.RunEvent{State: pb.RunState_RUN_STATE_ADOPTED, Pid: 7}}},
	} {
		r.event(e)
	}
	want := `session s · opus
> theirs
  too
Let me see.
●` + ` Bash  ls -l
    1
    2
    3
    4
    5
    6
    … 2 more lines
half
error: no\x1b
1 tokens in, 2 out, $0.5000, 1.5s
the turn failed: overloaded
the agent (pid 7) was taken over by a new daemon
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

func TestFinalText(t *testing.T) {
	var f finalText
	add := func(id, text string) { f.add(&pb.TextDelta{BlockId: id, Text: text}) }
	add("1", "a")
	add("1", "b")
	add("2", "c")
	if f.String() != "ab\n\nc" {
		t.Errorf("got %q", f.String())
	}
	f.add(&pb.TextDelta{BlockId: "2", Withdrawn: true})
	f.add(&pb.TextDelta{BlockId: "3", Text: "thought", Thinking: true})
	if f.String() != "ab" {
		t.Errorf("got %q", f.String())
	}
	add("2", "d")
	if f.String() != "ab\n\nd" {
		t.Errorf("got %q", f.String())
	}
}
