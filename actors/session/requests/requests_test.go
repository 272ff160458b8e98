package requests_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"betcode/actors/session/requests"
	"betcode/messages"
)

// Every result that is stored comes back as it was.
func TestEncoding(t *testing.T) {
	for _, want := range []messages.Reply{
		messages.Done{},
		messages.InputAcknowledged{Key: "k", Seq: 7},
		messages.TurnCanceling{WasActive: true},
		messages.PermissionAnswered{Applied: true, By: "ann", Decision: messages.Deny, Request: "r1"},
		messages.SessionStopped{WasRunning: true},
		messages.SessionContinued{WasWaiting: true},
		messages.SessionRestarted{WasRunning: true, Queued: true},
		messages.WorktreeRemoved{SessionsClosed: 2},
		messages.WorktreeSwitched{Worktree: messages.WorktreeView{
			ID: "w", State: messages.WorktreeReady, Sessions: 1, Work: &messages.WorktreeWork{Ahead: 1},
			Leases: []messages.WorktreeLease{{Holder: "s", Mode: messages.LeaseShared}},
		}, Previous: "v"},
		messages.WorktreeView{ID: "w", Setup: messages.WorktreeSetup{Status: messages.SetupReady, Output: "done"}},
		messages.RepositoryView{ID: "r", Settings: messages.RepositorySettings{Name: "n", Mode: messages.PlaceLocal}},
		messages.RepositoryUnregistered{Worktrees: 3},
		messages.BranchView{Name: "b", Commit: "c", Head: true},
	} {
		text, err := requests.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := requests.Decode(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	if _, err := requests.Encode(messages.Attached{}); err == nil {
		t.Error("an answer is stored that nobody can read")
	}
	for _, bad := range []string{"", "{}", `{"answer":"who"}`, `{"answer":"done"}`, `{"answer":"input","says":[]}`} {
		if got, err := requests.Decode([]byte(bad)); err == nil {
			t.Errorf("%q is %+v", bad, got)
		}
	}
}

func key(name, digest string) requests.Key { return requests.Key{Name: name, Digest: []byte(digest)} }

func TestRepeatedRequest(t *testing.T) {
	var l requests.Ledger
	if _, used := l.Find("test", key("k", "a")); used {
		t.Error("a key was used that nobody used")
	}
	l.Begin("caller", key("k", "a"))
	k, waits := l.End("caller")
	if _, again := l.End("caller"); !waits || again || k.Name != "k" {
		t.Fatalf("%+v, waits %v, again %v", k, waits, again)
	}
	kept, ok := l.Record(k, messages.SessionStopped{WasRunning: true})
	if !ok || kept.Key != "k" || string(kept.Digest) != "a" {
		t.Fatalf("recorded %+v, %v", kept, ok)
	}
	for digest, want := range map[string]any{"a": messages.SessionStopped{WasRunning: true}, "": messages.SessionStopped{WasRunning: true}} {
		if got, used := l.Find("test", key("k", digest)); !used || got != want {
			t.Errorf("digest %q: %+v", digest, got)
		}
	}
	got, _ := l.Find("test", key("k", "b"))
	if err, ok := got.(*messages.Error); !ok || err.Kind != messages.Invalid {
		t.Errorf("another request under the key: %+v", got)
	}
	if _, ok := l.Record(key("x", ""), messages.Attached{}); ok {
		t.Error("an answer that is no result is recorded")
	}
	if _, used := l.Find("test", key("x", "")); used {
		t.Error("and remembered")
	}
}

func TestLateAnswers(t *testing.T) {
	var l requests.Ledger
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	code := func(answer any) messages.Code {
		if err, ok := answer.(*messages.Error); ok {
			return err.Code
		}
		return ""
	}
	if got := l.Late("r"); code(got) != messages.PermissionStale {
		t.Errorf("unknown: %+v", got)
	}
	outcome := messages.PermissionAnswered{By: "ann", Decision: messages.Deny, Request: "r", At: at}
	l.Decide("r", outcome)
	if got := l.Late("r"); got != any(outcome) {
		t.Errorf("a duplicate: %+v", got)
	}
	outcome.Decision = messages.DecisionExpired
	l.Decide("r", outcome)
	err, ok := l.Late("r").(*messages.Error)
	if !ok || err.Code != messages.PermissionStale || err.Details["decided_at"] != "2026-01-02T03:04:05Z" || err.Details["reason"] != "expired" {
		t.Errorf("after the deadline: %+v", err)
	}
}

// The newest results are remembered, whatever order keys come in; a copy does not change with the original.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l requests.Ledger
		var order []string
		want := map[string]messages.Seq{}
		for n := range rapid.IntRange(1, 3*requests.MaxResults).Draw(t, "requests") {
			name := fmt.Sprint(rapid.IntRange(0, 2*requests.MaxResults).Draw(t, "key"))
			before := l
			if _, known := want[name]; !known {
				order = append(order, name)
			}
			want[name] = messages.Seq(n)
			l.Store(key(name, ""), messages.InputAcknowledged{Seq: messages.Seq(n)})
			if len(order) > requests.MaxResults {
				delete(want, order[0])
				order = order[1:]
			}
			if got, used := before.Find("test", key(name, "")); used && got.(messages.InputAcknowledged).Seq == messages.Seq(n) {
				t.Fatal("a copy has changed")
			}
		}
		for n := range 2*requests.MaxResults + 1 {
			got, used := l.Find("test", key(fmt.Sprint(n), ""))
			seq, known := want[fmt.Sprint(n)]
			if used != known || known && got.(messages.InputAcknowledged).Seq != seq {
				t.Fatalf("key %d: %+v, %v; want %d, %v", n, got, used, seq, known)
			}
		}
	})
}

// Requests that are never answered are bounded. The oldest is forgotten first, so a request in flight keeps its key.
func TestWaitingIsBounded(t *testing.T) {
	var l requests.Ledger
	for n := range requests.MaxWaiting {
		l.Begin(fmt.Sprint(n), key("k", ""))
	}
	l.Begin("0", key("again", "")) // is the newest now
	before := l
	l.Begin("x", key("k", ""))
	l.Begin("y", key("k", ""))
	if l.Waiting() != requests.MaxWaiting || before.Waiting() != requests.MaxWaiting {
		t.Fatalf("%d callers wait, %d in the copy", l.Waiting(), before.Waiting())
	}
	for caller, want := range map[string]bool{"0": true, "1": false, "2": false, "3": true, fmt.Sprint(requests.MaxWaiting - 1): true, "x": true, "y": true} {
		if _, waits := l.End(caller); waits != want {
			t.Errorf("caller %s waits: %v", caller, waits)
		}
	}
	if _, waits := before.End("1"); !waits {
		t.Error("the copy has changed")
	}
	for n := range requests.MaxWaiting { // those that were answered leave room
		l.Begin("n"+fmt.Sprint(n), key("k", ""))
		l.End("n" + fmt.Sprint(n))
	}
	if _, waits := l.End("3"); waits {
		t.Error("an answered caller waits again")
	}
	if _, waits := l.End("4"); !waits {
		t.Error("answered requests push others out")
	}
}
