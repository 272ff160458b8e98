package actors

import (
	"testing"
	"time"

	"betcode/messages"
)

func TestNames(t *testing.T) {
	var n names
	journal := map[place]messages.SessionID{{"/src", "old"}: "a"}
	named := func(directory, name string) (messages.SessionID, bool) {
		id, found := journal[place{directory, name}]
		return id, found
	}
	now := time.Unix(1000, 0)
	begin := func(id messages.SessionID, directory, name string) (func(time.Time, bool), messages.SessionID) {
		return n.begin(place{directory, name}, id, now, named)
	}
	if done, taken := begin("b", "/src", "old"); done != nil || taken != "a" {
		t.Fatalf("a name of the journal was given twice: %q", taken)
	}
	if done, _ := begin("a", "/src", "old"); done == nil {
		t.Fatal("a session cannot keep its name")
	}
	if done, _ := begin("b", "/other", "old"); done == nil {
		t.Fatal("a name is taken in another directory")
	}

	first, _ := begin("b", "/src", "new")
	again, _ := begin("b", "/src", "new") // the same request, sent again
	if done, taken := begin("c", "/src", "new"); done != nil || taken != "b" {
		t.Fatalf("a name that is being given was given again: %q", taken)
	}
	first(now, false)
	if done, _ := begin("c", "/src", "new"); done != nil {
		t.Fatal("a name is free before its last request has ended")
	}
	again(now, true) // the caller gave up
	now = now.Add(claimTime - 1)
	if done, _ := begin("c", "/src", "new"); done != nil {
		t.Fatal("a name is free while its session may take it yet")
	}
	now = now.Add(1)
	if done, taken := begin("c", "/src", "new"); done == nil {
		t.Fatalf("a name stays taken by %q", taken)
	}
	if len(n.claims) != 3 {
		t.Errorf("claims are kept: %v", n.claims)
	}
}
