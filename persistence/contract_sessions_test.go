package persistence

import (
	"testing"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/fault"
)

func TestDelete(t *testing.T) {
	f := newFixture(t)
	f.commit(full(sid(1), 0), full(sid(2), 0))
	f.commit(messages.Append{Session: sid(1), Delete: true, Expect: 99})
	for _, after := range []func(){func() {}, f.reopen, f.seal, f.reopen} {
		after()
		if f.load(sid(1)).Found {
			t.Error("a deleted session was found")
		}
		_, err := f.store.Events(sid(1), 0, 0, 0)
		wantKind(t, "events", err, messages.NotFound)
		for _, a := range []messages.Append{more(sid(1), 3, 1), begin(sid(1), 1), {Session: sid(1), Delete: true}} {
			err := f.store.Commit([]messages.Append{a})[0]
			wantKind(t, "append", err, messages.NotFound)
			if e := fault.As(err); e.Code != messages.SessionClosed {
				t.Errorf("code %q", e.Code)
			}
		}
		pending, err := f.store.Pending("")
		if err != nil || len(pending) != 1 || pending[0].Session != sid(2) {
			t.Errorf("pending: %v, %v", pending, err)
		}
		listed, total, err := f.store.Sessions("", "", 0, 0)
		if err != nil || total != 1 || len(listed) != 1 || listed[0].ID != sid(2) {
			t.Errorf("sessions: %v, %d, %v", listed, total, err)
		}
	}
	sameEvents(t, "the other", f.history(sid(2)), events(0, 3))
}

func TestUnfinished(t *testing.T) {
	f := newFixture(t)
	run := func(id messages.SessionID, n messages.RunNumber, state messages.RunState) *messages.RunRecord {
		return &messages.RunRecord{Session: id, Run: n, State: state, Token: "x", Argv: []string{"claude"}}
	}
	running, ended, older, input, permission, quiet := begin(sid(1), 1), begin(sid(2), 1), begin(sid(3), 1), begin(sid(4), 1), begin(sid(5), 1), begin(sid(6), 1)
	turn, asked, broken := begin(sid(7), 1), begin(sid(8), 1), begin(sid(9), 1)
	turn.Record.Turn, asked.Record.Turn, broken.Record.Turn = true, true, true // their agents have ended
	turn.Run = run(sid(7), 1, messages.RunFinished)
	asked.Record.Waiting, broken.Record.Condition = messages.WaitsByPolicy, messages.NotLoggedIn
	running.Run = run(sid(1), 1, messages.RunIntended)
	ended.Run = run(sid(2), 1, messages.RunFinished)
	older.Run = run(sid(3), 1, messages.RunRunning)
	input.Inputs = []messages.InputRecord{{Key: "k"}}
	permission.Permissions = []messages.PermissionRecord{{Request: "r", Session: sid(5)}}
	f.commit(running, ended, older, input, permission, quiet, turn, asked, broken)
	f.commit(messages.Append{Session: sid(3), Expect: 1, Run: run(sid(3), 2, messages.RunFinished)})
	for _, after := range []func(){func() {}, f.reopen, f.seal} {
		after()
		got, err := f.store.Unfinished()
		if err != nil {
			t.Fatal(err)
		}
		same(t, "unfinished", got, []messages.SessionID{sid(1), sid(3), sid(4), sid(5), sid(7)})
	}
	if got := f.load(sid(3)).Run; got.Run != 2 {
		t.Errorf("newest run is %d", got.Run)
	}
}

func TestPendingOldestFirst(t *testing.T) {
	f := newFixture(t)
	ask := func(id messages.SessionID, request messages.RequestID, minute int) messages.PermissionRecord {
		return messages.PermissionRecord{Request: request, Session: id, ReceivedAt: epoch.Add(time.Duration(minute) * time.Minute)}
	}
	a, b := begin(sid(1), 1), begin(sid(2), 1)
	a.Permissions = []messages.PermissionRecord{ask(sid(1), "x", 3), ask(sid(1), "y", 1)}
	b.Permissions = []messages.PermissionRecord{ask(sid(2), "x", 2)}
	f.commit(a, b)
	all, err := f.store.Pending("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "all", all, []messages.PermissionRecord{a.Permissions[1], b.Permissions[0], a.Permissions[0]})
	one, err := f.store.Pending(sid(2))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "one", one, b.Permissions)
}
