package dialog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/eventtest"
	"betcode/cmd/betcode/internal/inbox"
	pb "betcode/proto/betcode/v1"
)

// key returns the key that types a character, or the one with a name.
func key(name string) editor.Key {
	if len(name) == 1 {
		return editor.Key{Name: name, Text: name}
	}
	return editor.Key{Name: name}
}

// opened returns the dialog for events.
func opened(t *testing.T, events ...*pb.AgentEvent) *Dialog {
	t.Helper()
	var q inbox.Queue
	for _, e := range events {
		q.Event(e)
	}
	if q.Head() == nil {
		t.Fatal("nothing waits")
	}
	return New(q.Head())
}

// press presses keys as the chat does, and returns the last request.
func press(d *Dialog, keys ...string) (r *pb.AgentRequest) {
	for _, name := range keys {
		k := key(name)
		switch {
		case d.Typing():
			r = d.Type(k)
		case d.Moves(k):
		case d.Answers(k):
			r = d.Answer(k)
		}
	}
	return r
}

func asks(change func(*pb.PermissionRequest)) *pb.AgentEvent {
	e := eventtest.Asks("r", "Bash", "make test")
	if change != nil {
		change(e.GetPermissionRequest())
	}
	return e
}

const suggested = `[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"make test:*"}],"behavior":"allow","destination":"localSettings"},` +
	`{"type":"setMode","mode":"acceptEdits","destination":"session"}]`

func TestAnswers(t *testing.T) {
	suggests := func(p *pb.PermissionRequest) { p.Suggestions = []byte(suggested) }
	for name, test := range map[string]struct {
		change func(*pb.PermissionRequest)
		keys   []string
		want   string // in JSON; empty: no answer
	}{
		"once":             {nil, []string{"y"}, `{"requestId":"r","decision":"ALLOW_ONCE"}`},
		"session":          {nil, []string{"a"}, `{"requestId":"r","decision":"ALLOW_SESSION"}`},
		"no session":       {func(p *pb.PermissionRequest) { p.NoSessionGrant = true }, []string{"a"}, ``},
		"always":           {suggests, []string{"r"}, `{"requestId":"r","decision":"ALLOW_ONCE","applySuggestions":[0]}`},
		"no rule":          {nil, []string{"r"}, ``},
		"deny":             {nil, []string{"n"}, `{"requestId":"r","decision":"DENY"}`},
		"stop":             {nil, []string{"x"}, `{"requestId":"r","decision":"DENY_WITH_INTERRUPT"}`},
		"with words":       {nil, []string{"d", "n", "o", "enter"}, `{"requestId":"r","decision":"DENY","message":"no"}`},
		"words, then back": {nil, []string{"d", "n", "esc", "y"}, `{"requestId":"r","decision":"ALLOW_ONCE"}`},
		"edit":             {nil, []string{"e", "2", "enter"}, `{"requestId":"r","decision":"ALLOW_WITH_EDIT","updatedInput":{"command":"make test2"}}`},
		"anything else":    {nil, []string{"q", "enter", "1"}, ``},
	} {
		t.Run(name, func(t *testing.T) {
			r := press(opened(t, asks(test.change)), test.keys...)
			if test.want == "" {
				if r != nil {
					t.Errorf("answered %v", r)
				}
				return
			}
			var want pb.PermissionResponse
			if err := protojson.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			if !proto.Equal(r.GetPermission(), &want) {
				t.Errorf("answered %v, want %v", r.GetPermission(), &want)
			}
		})
	}
}

// A call without a command is edited as JSON; invalid JSON is not sent.
func TestEditJSON(t *testing.T) {
	d := opened(t, eventtest.Asks("r", "Read", ""))
	if r := press(d, "e", "x", "enter"); r != nil || d.trouble == "" {
		t.Errorf("sent %v", r)
	}
	if r := press(d, "backspace", "enter"); r.GetPermission().GetDecision() != pb.PermissionDecision_ALLOW_WITH_EDIT {
		t.Errorf("sent %v", r)
	}
}

// A plan is approved, with edits or without, changed, or sent back with words.
func TestPlan(t *testing.T) {
	plan := func(suggestions string) *pb.AgentEvent {
		e := eventtest.Asks("r", "ExitPlanMode", "")
		p := e.GetPermissionRequest()
		p.Input = &structpb.Struct{Fields: map[string]*structpb.Value{"plan": structpb.NewStringValue("# Plan\n\n1. *look*")}}
		p.Suggestions = []byte(suggestions)
		return e
	}
	rows, _, _ := opened(t, plan("")).Rows(View{Width: 60, Height: 20, Focused: true})
	want := "│ ? the agent has a plan\n│ # Plan\n│\n│ 1. look\n│ y approve · a approve and accept edits · e edit\n│ n keep planning · d keep planning, with words · x stop"
	if got := strings.ReplaceAll(strings.Join(rows, "\n"), " \n", "\n"); got != want {
		t.Errorf("shown\n%s\nwant\n%s", got, want)
	}
	r := press(opened(t, plan("")), "a")
	if r.GetPermission().GetDecision() != pb.PermissionDecision_ALLOW_ONCE || len(r.GetPermission().GetApplySuggestions()) != 0 {
		t.Errorf("answered %v", r)
	}
	if r = press(opened(t, plan(suggested)), "a"); len(r.GetPermission().GetApplySuggestions()) != 1 || r.GetPermission().GetApplySuggestions()[0] != 1 {
		t.Errorf("answered %v", r)
	}
	r = press(opened(t, plan("")), "e", "!", "enter")
	if r.GetPermission().GetUpdatedInput().GetFields()["plan"].GetStringValue() != "# Plan\n\n1. *look*!" {
		t.Errorf("answered %v", r)
	}
	if r = press(opened(t, plan("")), "d", "n", "o", "enter"); r.GetPermission().GetDecision() != pb.PermissionDecision_DENY || r.GetPermission().GetMessage() != "no" {
		t.Errorf("answered %v", r)
	}
}

func TestForm(t *testing.T) {
	one := eventtest.Question("q/0", "Which?", false, "main", "dev")
	two := eventtest.Question("q/1", "Also?", true, "a", "b", "c")
	for name, test := range map[string]struct {
		keys []string
		want map[string]string
	}{
		"by number":     {[]string{"2", "1", "3", "enter"}, map[string]string{"Which?": "dev", "Also?": "a, c"}},
		"by arrow":      {[]string{"down", "enter", "2", "enter"}, map[string]string{"Which?": "dev", "Also?": "b"}},
		"own words":     {[]string{"o", "x", "y", "enter", "1", "enter"}, map[string]string{"Which?": "xy", "Also?": "a"}},
		"nothing":       {[]string{"1", "enter"}, nil},
		"taken back":    {[]string{"1", "2", "2", "enter"}, nil},
		"half":          {[]string{"1"}, nil},
		"other numbers": {[]string{"7"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := press(opened(t, one, two), test.keys...)
			if got := r.GetQuestionResponse(); len(got.GetAnswers()) != len(test.want) || test.want != nil && got.GetQuestionId() != "q" {
				t.Fatalf("answered %v", r)
			}
			for question, want := range test.want {
				if got := r.GetQuestionResponse().GetAnswers()[question]; got != want {
					t.Errorf("%s %q, want %q", question, got, want)
				}
			}
		})
	}
	if r := press(opened(t, one, two), "x"); r.GetPermission().GetDecision() != pb.PermissionDecision_DENY || r.GetPermission().GetRequestId() != "q" {
		t.Errorf("declined: %v", r)
	}
}

// The order of a request's screen: what would run, why it asks, what can be pressed. Hidden characters are shown.
func TestRows(t *testing.T) {
	d := opened(t, asks(func(p *pb.PermissionRequest) {
		p.Suggestions, p.Reason = []byte(suggested), "a protected file"
		p.GetInput().Fields["command"].Kind = eventtest.Asks("", "", "rm x\x1b[2J\nls").GetPermissionRequest().GetInput().GetFields()["command"].GetKind()
	}))
	d.Explain("ask Bash(rm:*)")
	rows, cursor, _ := d.Rows(View{Width: 60, Height: 20, Focused: true})
	want := []string{
		"│ ? allow Bash", `│   rm x\x1b[2J`, "│   ls", "│ asks because: a protected file", "│ rules: ask Bash(rm:*)",
		"│ y allow once · a all of Bash in this session",
		"│ r always: Bash(make test:*) in .claude/settings.local.json",
		"│ e edit · n deny · d deny with words · x deny and stop",
	}
	if got := strings.Join(rows, "\n"); got != strings.Join(want, "\n") || cursor != -1 {
		t.Errorf("shown\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// A key is on the same row as its meaning.
func TestKeysStayTogether(t *testing.T) {
	parts := []string{"y allow once", "r always: Bash in .claude/settings.local.json", "e edit", "n deny"}
	want := []string{"y allow once · r always: Bash in .claude/settings.local.json", "e edit · n deny"}
	if rows := wrapKeys(parts, " ·", 62); !slices.Equal(rows, want) {
		t.Errorf("%q", rows)
	}
	if rows := wrapKeys(parts, " ·", 30); len(rows) != 4 || rows[3] != want[1] {
		t.Errorf("%q", rows)
	}
}

// However small the screen is, a request fits, shows the beginning of the call and a key; each of its rows can be
// reached, and so can each option of a question.
func TestSmallScreens(t *testing.T) {
	long := strings.Repeat("word ", 30)
	d := opened(t, asks(func(p *pb.PermissionRequest) {
		p.Suggestions = []byte(suggested)
		p.GetInput().Fields["command"].Kind = eventtest.Asks("", "", "first "+long+"last").GetPermissionRequest().GetInput().GetFields()["command"].GetKind()
	}))
	q := opened(t, eventtest.Question("q/1", "first "+long+"last", false, "a", "b", "c", "d", "e", "f", "g", "h"))
	for height := Least; height < 20; height++ {
		for width := 14; width < 80; width += 13 {
			view := View{Width: width, Height: height, Focused: true}
			for name, what := range map[string]*Dialog{"a permission": d, "a question": q} {
				what.scroll, what.follow = 0, false
				seen := ""
				for range 60 {
					rows, _, _ := what.Rows(view)
					if len(rows) > height {
						t.Fatalf("%s on %d×%d has %d rows", name, width, height, len(rows))
					}
					if seen == "" && (!strings.Contains(strings.Join(rows, "\n"), "first") || name == "a permission" && !strings.Contains(strings.Join(rows, "\n"), "y ")) {
						t.Fatalf("%s on %d×%d:\n%s", name, width, height, strings.Join(rows, "\n"))
					}
					seen += strings.Join(rows, "\n")
					what.Moves(editor.Key{Name: "pgdown"})
				}
				if !strings.Contains(seen, "last") {
					t.Fatalf("%s on %d×%d cannot be read to its end:\n%s", name, width, height, seen)
				}
			}
			for i := range 8 {
				rows, _, _ := q.Rows(view)
				if want := fmt.Sprintf("› %d   %c", i+1, 'a'+i); i > 0 && !strings.Contains(strings.Join(rows, "\n"), want) {
					t.Fatalf("option %d on %d×%d is not shown:\n%s", i+1, width, height, strings.Join(rows, "\n"))
				}
				q.Moves(editor.Key{Name: "down"})
			}
			q.Moves(editor.Key{Name: "down"}) // over one's own words to the first again
			d.open(editing, "first "+long)
			if rows, row, _ := d.Rows(view); len(rows) > height || row < 0 || row >= len(rows) {
				t.Fatalf("a field on %d×%d: row %d of\n%s", width, height, row, strings.Join(rows, "\n"))
			}
			d.mode = choosing
		}
	}
}

func TestGate(t *testing.T) {
	at := func(ms int) time.Time { return time.Unix(0, 0).Add(time.Hour + time.Duration(ms)*time.Millisecond) }
	for name, test := range map[string]struct {
		keys []int // when keys were pressed, after the request at 0
		want bool  // of the last
	}{
		"at once":              {[]int{10}, false},
		"after a moment":       {[]int{400}, true},
		"while typing":         {[]int{-100, 100, 300, 500}, false},
		"typing, then a pause": {[]int{300, 700}, true},
		"just before":          {[]int{-1, 398}, false},
	} {
		var g Gate
		var got bool
		shown := false
		for _, ms := range test.keys {
			if ms >= 0 && !shown {
				g.Show(at(0))
				shown = true
			}
			got = g.Press(at(ms))
		}
		if got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
