package inquiry

import (
	"slices"
	"testing"
	"time"

	"betcode/messages"
)

func TestInquiry(t *testing.T) {
	var i Inquiry[string]
	id := func() string { return "q1" }
	i.Wait("ann")
	if i.Is("") || i.Ask(id) != "q1" || i.Ask(id) != "" || !i.Is("q1") || i.Is("q2") {
		t.Errorf("%+v", i)
	}
	before := i
	i.Wait("eve")
	if got := i.End(); !slices.Equal(got, []string{"ann", "eve"}) || i.Is("q1") {
		t.Errorf("%v", got)
	}
	if got := before.End(); !slices.Equal(got, []string{"ann"}) {
		t.Errorf("a copy has %v", got)
	}
	if i.Ask(id) != "q1" || len(i.End()) != 0 {
		t.Error("a question of the session's own")
	}
}

func TestNews(t *testing.T) {
	var i Inquiry[int]
	one := messages.Abilities{Commands: []messages.AgentCommand{{Name: "one"}}}
	if i.Named(messages.Abilities{}) || !i.Named(one) || i.Named(one) {
		t.Error("what a turn names")
	}
	report := messages.AgentReport{Version: "2.1", Tools: []string{"Bash"}, Servers: []messages.McpServer{{Name: "s", Status: "connected"}}}
	if !i.Reported(report) || i.Reported(report) {
		t.Error("a report")
	}
	later := report
	later.At = time.Unix(1, 0)
	if i.Reported(later) {
		t.Error("the time is no news")
	}
	for name, change := range map[string]func(*messages.AgentReport){
		"version": func(r *messages.AgentReport) { r.Version = "2.2" },
		"model":   func(r *messages.AgentReport) { r.Model = "m" },
		"tools":   func(r *messages.AgentReport) { r.Tools = nil },
		"server":  func(r *messages.AgentReport) { r.Servers = []messages.McpServer{{Name: "s", Status: "failed"}} },
	} {
		i.Reported(report)
		other := report
		if change(&other); !i.Reported(other) {
			t.Errorf("another %s is no news", name)
		}
	}
}
