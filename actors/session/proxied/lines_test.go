package proxied

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

var dawn = time.Date(2026, 1, 1, 6, 0, 0, 0, time.UTC)

func counted(seq uint64, line string) messages.ProxyLine {
	return messages.ProxyLine{Seq: seq, Counted: true, Line: []byte(line)}
}

// shown writes items in a few words.
func shown(items []claude.Item) string {
	var words []string
	for _, item := range items {
		switch m := item.(type) {
		case claude.Draft:
			switch e := m.Event; {
			case e.GetNotice() != nil:
				words = append(words, "notice "+e.GetNotice().GetCode()+" "+e.GetNotice().GetMessage())
			case e.GetRaw() != nil:
				words = append(words, "raw "+e.GetRaw().GetReason())
			case e.GetTextDelta() != nil:
				words = append(words, "text "+e.GetTextDelta().GetText())
			default:
				words = append(words, "event")
			}
		case claude.PermissionAsked:
			words = append(words, fmt.Sprintf("asked %s %s %s question %v", m.Request, m.Tool, m.Input, m.Question))
		case claude.TurnStarted:
			words = append(words, "turn")
		}
	}
	return strings.Join(words, ", ")
}

// What proxies of all generations send that is not what an agent writes.
func TestLines(t *testing.T) {
	waiting := []Prompt{{"k1", "build it"}, {"k2", "build it"}, {"k3", "loop"}}
	for _, c := range []struct{ name, line, echo, shown string }{
		{name: "an echo without uuid or mark", line: `{"message":{"content":[{"text":"build it","type":"text"}],"role":"user"},"type":"user"}`, echo: "k1"},
		{name: "an echo as one text", line: `{"type":"user","message":{"role":"user","content":"build it"}}`, echo: "k1"},
		{name: "an echo with a uuid", line: `{"type":"user","isReplay":true,"uuid":"x","message":{"role":"user","content":"build it"}}`, echo: "k1"},
		{
			name: "a prompt of a loop", echo: "k3",
			line: `{"type":"user","message":{"content":"loop\n\nTake action on the directions above until fully complete. If complete, respond only with DONE."}}`,
		},
		{name: "a prompt of somebody else", line: `{"type":"user","message":{"content":[{"type":"text","text":"a reminder"}]}}`, shown: "notice CONTEXT_NOTE a reminder"},
		{name: "a message of the proxy", line: `{"content":[{"text":"**Session started**","type":"text"}],"type":"portal"}`, shown: "notice PROXY_MESSAGE **Session started**"},
		{name: "a reminder of the proxy", line: `{"content":[{"title":"Stand up","body":"now","type":"reminder"}],"type":"portal"}`, shown: "notice PROXY_MESSAGE Stand up\nnow"},
		{name: "an image of the proxy", line: `{"content":[{"data":"AA==","media_type":"image/png","type":"image"}],"type":"portal"}`, shown: "raw unknown type"},
		{name: "nothing of the proxy", line: `{"content":[],"type":"portal"}`, shown: "raw unknown type"},
		{name: "an unknown type", line: `{"type":"marvel"}`, shown: "raw unknown type"},
		{name: "no object", line: `"hello"`, shown: "raw not an object"},
		{name: "not JSON", line: `{`, shown: "raw not JSON"},
		{name: "no line", line: ``},
	} {
		_, taken := Lines{}.Take(counted(0, c.line), waiting, dawn)
		if got := shown(taken.Items); taken.Echo != c.echo || got != c.shown {
			t.Errorf("%s: echo %q, shown %q", c.name, taken.Echo, got)
		}
	}
}

func TestKnownLine(t *testing.T) {
	const line = `{"type":"marvel"}`
	l, first := Lines{}.Take(counted(0, line), nil, dawn)
	_, again := l.Take(counted(0, line), nil, dawn)
	_, uncounted := l.Take(messages.ProxyLine{Line: []byte(line)}, nil, dawn)
	if first.Known || !again.Known || uncounted.Known {
		t.Errorf("known: %v, %v, %v", first.Known, again.Known, uncounted.Known)
	}
	loaded, err := Load(messages.Cursor{Lines: l.Ledger(), Translator: l.Translator()})
	if err != nil {
		t.Fatal(err)
	}
	if _, taken := loaded.Take(counted(0, line), nil, dawn); !taken.Known {
		t.Error("a loaded ledger does not know the line")
	}
}

// A line that is too long is not lost without a trace, and does not stop what follows.
func TestLongLine(t *testing.T) {
	l, taken := Lines{}.Take(counted(0, strings.Repeat("x", MaxLine+1)), nil, dawn)
	if got := shown(taken.Items); got != "raw truncated" {
		t.Errorf("it is shown as %q", got)
	}
	if _, behind := l.Take(counted(1, `{"type":"marvel"}`), nil, dawn); behind.Known || len(behind.Items) == 0 {
		t.Errorf("the next line: %+v", behind)
	}
}

func TestAsk(t *testing.T) {
	_, items := Lines{}.Ask(messages.ProxyAsked{Request: "r1", Tool: "Bash", Input: []byte(`{"command":"make"}`), Suggestions: []byte(`[]`)}, dawn)
	if got := shown(items); got != `asked r1 Bash {"command":"make"} question false` {
		t.Errorf("%q", got)
	}
	question := messages.ProxyAsked{Request: "r2", Tool: "AskUserQuestion", Input: []byte(`{"questions":[{"question":"Which?","options":[{"label":"a"}]}]}`)}
	if _, items := (Lines{}).Ask(question, dawn); !strings.HasSuffix(shown(items), "question true") {
		t.Errorf("%q", shown(items))
	}
	other := question
	other.Request, other.Input = "r2", []byte(`{}`)
	if nameOf(question) == nameOf(other) {
		t.Error("a request is named by its id alone")
	}
}

// Whatever a proxy sends: nothing panics, a new line leaves a trace or is an echo, and the state can be loaded.
func FuzzLines(f *testing.F) {
	f.Add(uint64(0), []byte(`{"type":"portal","content":[{"type":"text","text":"x"}]}`), []byte(`{"type":"user","message":{"content":"x"}}`))
	f.Add(uint64(7), []byte(`{"type":"stream_event","event":{"type":"message_start"}}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, seq uint64, line, input []byte) {
		l, taken := Lines{}.Take(messages.ProxyLine{Seq: seq, Counted: true, Line: line}, []Prompt{{"k", "x"}}, dawn)
		if taken.Known {
			t.Fatal("a first line is known")
		}
		l, items := l.Ask(messages.ProxyAsked{Request: "r", Tool: "Bash", Input: input, Suggestions: line}, dawn)
		if len(items) == 0 {
			t.Fatal("a request means nothing")
		}
		loaded, err := Load(messages.Cursor{Lines: l.Ledger(), Translator: l.Translator()})
		if err != nil {
			t.Fatal(err)
		}
		if _, again := loaded.Take(messages.ProxyLine{Seq: seq, Counted: true, Line: line}, nil, dawn); !again.Known {
			t.Fatal("the line is not known after loading")
		}
	})
}
