package forward

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"betcode/actors/session/prompts"
	"betcode/messages"
)

var dawn = time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)

func request(session messages.SessionID, id messages.RequestID) prompts.Forwarded {
	return prompts.Forwarded{Name: "finder", PermissionRecord: messages.PermissionRecord{Session: session, Request: id, ExpiresAt: dawn}}
}

func show(facts []Fact) []string {
	var all []string
	for _, f := range facts {
		switch f := f.(type) {
		case Came:
			all = append(all, "came "+string(f.Request))
		case Extended:
			all = append(all, "extended "+string(f.Request))
		case Resolved:
			all = append(all, fmt.Sprintf("resolved %s: %v by %s", f.Request, f.Decision, f.DecidedBy))
		}
	}
	return all
}

func TestTake(t *testing.T) {
	var f Forwarding
	one, two := request("b", "1"), request("b", "2")
	if got := show(f.Take("b", []prompts.Forwarded{one, two}, nil)); !slices.Equal(got, []string{"came 1", "came 2"}) {
		t.Errorf("new: %v", got)
	}
	before := f
	later := two
	later.ExpiresAt = dawn.Add(time.Hour)
	decided := one.PermissionRecord
	decided.Decision, decided.DecidedBy = messages.AllowOnce, "ann"
	want := []string{fmt.Sprintf("resolved %s: %v by ann", one.ID(), messages.AllowOnce), "extended 2"}
	if got := show(f.Take("b", []prompts.Forwarded{later}, []messages.PermissionRecord{decided})); !slices.Equal(got, want) {
		t.Errorf("decided and extended: %v", got)
	}
	if got := show(f.Take("b", []prompts.Forwarded{later}, nil)); len(got) != 0 {
		t.Errorf("the same again: %v", got)
	}
	want = []string{fmt.Sprintf("resolved %s: %v by agent", two.ID(), messages.DecisionWithdrawn)}
	if got := show(f.Take("b", nil, nil)); !slices.Equal(got, want) || f.Any() {
		t.Errorf("withdrawn: %v", got)
	}
	if len(before.Shown()) != 2 {
		t.Error("a copy was changed")
	}
}

func TestShownIsStable(t *testing.T) {
	var f Forwarding
	f.Take("c", []prompts.Forwarded{request("c", "3")}, nil)
	f.Take("b", []prompts.Forwarded{request("b", "2"), request("b", "1")}, nil)
	var got []string
	for _, r := range f.Shown() {
		got = append(got, string(r.Request))
	}
	if !slices.Equal(got, []string{"2", "1", "3"}) || !slices.Equal(f.Below(), []messages.SessionID{"b", "c"}) {
		t.Errorf("%v, %v", got, f.Below())
	}
}

func TestSend(t *testing.T) {
	var f Forwarding
	list := []prompts.Forwarded{request("a", "1")}
	if f.Sent() || !f.Changed(list) || f.Changed(nil) || f.Alone() {
		t.Errorf("%+v", f)
	}
	mine, unknown := list[0].PermissionRecord, request("a", "9").PermissionRecord
	if got := f.Send(list, []messages.PermissionRecord{mine}); len(got) != 0 {
		t.Errorf("decided before it was sent: %v", got)
	}
	if !f.Sent() || f.Changed(list) || !f.Changed(nil) {
		t.Errorf("%+v", f)
	}
	if got := f.Send(nil, []messages.PermissionRecord{mine, unknown}); len(got) != 1 || got[0].Request != "1" || f.Sent() {
		t.Errorf("decided: %v", got)
	}
	if f.NothingAbove(); !f.Alone() {
		t.Error("somebody is above")
	}
}
