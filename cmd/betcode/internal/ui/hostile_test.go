package ui

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/eventtest"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// full returns a message with a text in every string.
func full[M proto.Message](m M, text string) M {
	eventtest.Fill(m, text)
	return m
}

// Texts of others cannot control the terminal: names, directories, previews, requests, plans, hits,
// failures and typed text, in the list, the plans and the search, drawn and line by line.
func TestHostileTexts(t *testing.T) {
	for name, text := range eventtest.Hostile() {
		see := func(place string, rows []string) {
			t.Helper()
			for _, row := range rows {
				if i := strings.IndexFunc(row, visible.Hidden); i >= 0 {
					t.Errorf("%s, %s: %q", name, place, row)
				}
			}
		}
		var listed []*pb.SessionSummary
		for _, change := range []func(s *pb.SessionSummary){
			func(s *pb.SessionSummary) { s.Undecided = 2 },
			func(s *pb.SessionSummary) { s.Asks, s.StoppedAt = "", nil },
			func(s *pb.SessionSummary) { s.Asks, s.StoppedAt, s.Waiting = "", nil, "" },
			func(s *pb.SessionSummary) {
				s.Asks, s.StoppedAt, s.Waiting, s.Condition = "", nil, "", ""
				s.SlotPlace = 1
			},
			func(s *pb.SessionSummary) {
				s.Asks, s.StoppedAt, s.Waiting, s.Condition = "", nil, "", ""
				s.Name, s.Title = "", ""
			},
			func(s *pb.SessionSummary) { s.Asks = "" },
		} {
			s := full(&pb.SessionSummary{}, text)
			change(s)
			s.Id += name + string(rune('a'+len(listed)))
			listed = append(listed, s)
		}
		m, p := NewModel(false), NewPlain()
		for _, width := range []int{120, 30} {
			m.Resize(width, 40)
			m.Listed(now, list(listed...), nil)
			m.Away(full(&pb.DigestResponse{}, text), true)
			see("the list", m.Rows(now))
			m.Listed(now, nil, errors.New(text))
			see("an outage", m.Rows(now))
			m.Say(text)
			see("an answer", m.Rows(now))
			press(m, "/")
			m.Paste(text)
			see("the filter", m.Rows(now))
			press(m, "enter")
			see("the filter above", m.Rows(now))
			press(m, "esc", ":")
			m.line.text.SetText("x" + text)
			see("a command", m.Rows(now))
			press(m, "enter")
			see("an unknown command", m.Rows(now))
			plans := &Plans{width: width, height: 30}
			o := full(&pb.OrchestrationInfo{}, text)
			plans.Took([]*pb.OrchestrationInfo{o}, nil)
			see("the plans", plans.Rows(now))
			plans.Took(nil, errors.New(text))
			see("no plans", plans.Rows(now))
			see("plans line by line", planLines([]*pb.OrchestrationInfo{o}))
			f := NewFound(console.Style(false), width, 30)
			f.Paste(text + "x")
			see("a query", f.Rows(now))
			if s, _ := f.Press(editor.Key{Name: "enter"}).(Search); s.Query != "" {
				f.Took(s.Query, full(&pb.SearchResponse{}, text), nil)
				see("hits", f.Rows(now))
				f.Took(s.Query, nil, errors.New(text))
				see("no hits", f.Rows(now))
			}
		}
		see("the list line by line", p.Listed(now, list(listed...), nil))
		see("hits line by line", p.Found(now, full(&pb.SearchResponse{}, text)))
		for _, command := range []string{text, "open", "stop " + text, "find " + text, "rename 1 " + text} {
			lines, _ := p.Line(now, command)
			see("a line", lines)
		}
	}
}
