package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/chat/editor"
	pb "betcode/proto/betcode/v1"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func list(sessions ...*pb.SessionSummary) *pb.ListSessionsResponse {
	return &pb.ListSessionsResponse{Sessions: sessions, Total: uint32(len(sessions))}
}

// some returns a list with sessions in different states.
func some() *Model {
	m := NewModel(false)
	m.Listed(now, list(
		&pb.SessionSummary{Id: "idle", Name: "resting", Status: "idle", WorkingDirectory: "/home/x/project"},
		&pb.SessionSummary{Id: "work", Name: "busy", Status: "active"},
		&pb.SessionSummary{Id: "ask", Name: "asking", Status: "active", Undecided: 1, Asks: "rm\x1b[2J x"},
		&pb.SessionSummary{Id: "ask2", Status: "active", Undecided: 1, Asks: "make"},
	), nil)
	return m
}

// press types characters, and presses keys with longer names.
func press(m *Model, keys ...string) (last Effect) {
	for _, name := range keys {
		k := editor.Key{Name: name}
		if len(name) == 1 {
			k.Text = name
		}
		last = m.Press(k)
	}
	return last
}

func TestKeys(t *testing.T) {
	for name, test := range map[string]struct {
		keys []string
		want Effect
	}{
		"the first needs me":   {[]string{"enter"}, Open{Session: "ask"}},
		"next":                 {[]string{"j", "enter"}, Open{Session: "ask2"}},
		"the end":              {[]string{"G", "enter"}, Open{Session: "idle"}},
		"not behind it":        {[]string{"G", "j", "j", "k", "enter"}, Open{Session: "work"}},
		"by number":            {[]string{"3"}, Open{Session: "work"}},
		"next that waits":      {[]string{"G", "n"}, Open{Session: "ask"}},
		"filter":               {append([]string{"/"}, append(strings.Split("rest", ""), "enter", "enter")...), Open{Session: "idle"}},
		"filter by state":      {append([]string{"/"}, append(strings.Split("working", ""), "enter", "enter")...), Open{Session: "work"}},
		"filter, then all":     {[]string{"/", "r", "e", "s", "esc", "enter"}, Open{Session: "ask"}},
		"stop":                 {append([]string{"j", ":"}, append(strings.Split("stop", ""), "enter")...), Command{"stop", "ask2", ""}},
		"rename":               {append([]string{":"}, append(strings.Split("rename a b", ""), "enter")...), Command{"rename", "ask", "a b"}},
		"rename to nothing":    {append([]string{":"}, append(strings.Split("rename", ""), "enter")...), nil},
		"search":               {[]string{"s"}, ShowSearch{}},
		"search for words":     {append([]string{":"}, append(strings.Split("search a b", ""), "enter")...), Search{"a b"}},
		"open":                 {append([]string{":"}, append(strings.Split("open tests", ""), "enter")...), Open{Session: "tests"}},
		"unknown":              {append([]string{":"}, append(strings.Split("remove", ""), "enter")...), nil},
		"a command taken back": {[]string{":", "q", "esc"}, nil},
		"new":                  {[]string{"c"}, Begin{}},
		"leave":                {[]string{"q"}, Quit{}},
		"leave the help":       {[]string{"?", "q"}, nil},
		"Esc out of the help":  {[]string{"/", "i", "d", "l", "e", "enter", "?", "esc", "1"}, Open{Session: "idle"}},
		"Esc out of both":      {[]string{"/", "i", "d", "l", "e", "enter", "?", "esc", "esc", "1"}, Open{Session: "ask"}},
		"leave it, then all":   {[]string{"?", "q", "q"}, Quit{}},
	} {
		if got := press(some(), test.keys...); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestNext(t *testing.T) {
	m := some()
	if m.Next("ask") != "ask2" || m.Next("ask2") != "ask" || m.Next("idle") != "ask" {
		t.Error(m.Next("ask"), m.Next("ask2"), m.Next("idle"))
	}
	if next := NewModel(false).Next(""); next != "" {
		t.Error(next)
	}
}

// The screen shows since when the daemon does not answer, keeps the last list, and fits the terminal. Escapes in names
// are shown.
func TestRows(t *testing.T) {
	m := some()
	m.Listed(now, nil, status.Error(codes.Unavailable, "connection refused"))
	rows := m.Rows(now.Add(12 * time.Second))
	text := strings.Join(rows, "\n")
	for _, want := range []string{"2 need you · 1 working · 1 idle", "no daemon for 12s", "NEEDS YOU\n› 1 asking", `rm\x1b[2J x`, "WORKING", "IDLE"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	var many []*pb.SessionSummary
	for i := range 300 {
		many = append(many, &pb.SessionSummary{Id: fmt.Sprint(i), Name: strings.Repeat("漢", i%40), Status: "idle", WorkingDirectory: strings.Repeat("d", i)})
	}
	m.Listed(now, list(many...), nil)
	for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 6}, {200, 50}} {
		m.Resize(size[0], size[1])
		for range 50 {
			press(m, "j")
			rows := m.Rows(now)
			if len(rows) > size[1] || !strings.Contains(strings.Join(rows, "\n"), "› ") {
				t.Fatalf("%v: %d rows\n%s", size, len(rows), strings.Join(rows, "\n"))
			}
			for _, row := range rows {
				if ansi.StringWidth(row) > size[0] {
					t.Fatalf("%v: %q is too wide", size, row)
				}
			}
		}
	}
}

// BenchmarkRows draws a list of 500 sessions.
func BenchmarkRows(b *testing.B) {
	m := NewModel(true)
	var many []*pb.SessionSummary
	for i := range listed {
		many = append(many, &pb.SessionSummary{Id: fmt.Sprint(i), Name: "a session", Status: "idle", WorkingDirectory: "/home/x/project"})
	}
	m.Listed(now, list(many...), nil)
	for b.Loop() {
		press(m, "j")
		m.Rows(now)
	}
}

// A daemon that refuses the list is running: the screen shows its error, and no hint to start one.
func TestRefusedList(t *testing.T) {
	m, p := some(), NewPlain()
	err := status.Error(codes.Unauthenticated, "the token is revoked")
	m.Listed(now, nil, err)
	if row := m.Rows(now)[0]; row != "betcode · the list was not read: the token is revoked" {
		t.Errorf("the header: %q", row)
	}
	if lines := p.Listed(now, nil, err); len(lines) != 1 || lines[0] != "The list was not read: the token is revoked" {
		t.Errorf("line by line: %q", lines)
	}
	m.Listed(now, nil, status.Error(codes.DeadlineExceeded, "too slow"))
	if row := m.Rows(now)[0]; !strings.Contains(row, "no daemon for") {
		t.Errorf("the header without an answer: %q", row)
	}
}
