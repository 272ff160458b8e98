package persistence

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"betcode/messages"
)

// full is an append with everything an append can have.
func full(id messages.SessionID, after messages.Seq) messages.Append {
	at := epoch.Add(time.Duration(after) * time.Minute)
	r := summary(id, at)
	r.Name, r.WorktreeID, r.Model, r.PermissionMode = "a name", "tree", "opus", "plan"
	r.AllowedTools, r.DeniedTools = []string{"Read"}, []string{"Bash(rm:*)"}
	r.Metadata = map[string]string{"b": "2", "a": "1"}
	r.Run, r.Turn, r.Grants = 1, true, map[string]bool{"Edit": true, "Bash": false}
	r.Usage = messages.Usage{InputTokens: 12, CostUSD: 0.25}
	r.Options, r.Fork = someOptions(), messages.Fork{Session: sid(9), Seq: 7, AgentSession: "old", Message: "last"}
	return messages.Append{
		Session: id, Expect: after, Events: events(after, 3), Record: r,
		Run: &messages.RunRecord{
			Format: 1, Session: id, Run: 1, State: messages.RunRunning, Token: "t", Directory: "/run/1",
			Argv: []string{"claude", "-p"}, Process: messages.ProcessIdentity{PID: 7, StartTime: 8, BootID: "b"}, StartedAt: at,
			Options: someOptions(),
		},
		Cursor: &messages.Cursor{Run: 1, Offset: 100, Translator: []byte{1, 2, 3}},
		Inputs: []messages.InputRecord{
			{Key: "two", Seq: after + 2, Content: "second", At: at},
			{Key: "one", Seq: after + 1, Content: "first", Client: "c", At: at, Attachments: []messages.Attachment{
				{Filename: "x.png", MimeType: "image/png", Data: bytes.Repeat([]byte{9}, 9000)},
			}},
		},
		Permissions: []messages.PermissionRecord{{
			Request: "p1", Session: id, Run: 1, Seq: after + 3, Tool: "Bash", Input: []byte(`{"command":"ls"}`),
			ReceivedAt: at, ExpiresAt: at.Add(7 * 24 * time.Hour), Answers: map[string]string{"q": "a"},
		}},
		Key: "idem",
	}
}

func TestAppendIsLoadedAsItWas(t *testing.T) {
	f := newFixture(t)
	a := full(sid(1), 0)
	f.commit(a)
	for range 2 {
		got := f.load(a.Session)
		want := *a.Record
		want.Head = 3
		same(t, "record", got.Record, want)
		same(t, "run", got.Run, a.Run)
		same(t, "cursor", got.Cursor, *a.Cursor)
		same(t, "inputs", got.Inputs, []messages.InputRecord{a.Inputs[1], a.Inputs[0]})
		same(t, "permissions", got.Permissions, a.Permissions)
		sameEvents(t, "events", f.history(a.Session), a.Events)
		seq, seen, err := f.store.Seen(a.Session, "idem")
		if seq != 3 || !seen || err != nil {
			t.Errorf("seen: %d, %v, %v", seq, seen, err)
		}
		f.reopen()
	}
}

func TestUnknownSession(t *testing.T) {
	f := newFixture(t)
	if got := f.load("nobody"); got.Found {
		t.Errorf("found %+v", got)
	}
	_, err := f.store.Events("nobody", 0, 0, 0)
	wantKind(t, "events", err, messages.NotFound)
	_, err = f.store.Head("nobody")
	wantKind(t, "head", err, messages.NotFound)
	_, _, err = f.store.Seen("nobody", "k")
	wantKind(t, "seen", err, messages.NotFound)
	_, err = f.store.Pending("nobody")
	wantKind(t, "pending", err, messages.NotFound)
	wantKind(t, "append without a record", f.store.Commit([]messages.Append{{Session: "nobody"}})[0], messages.NotFound)
	wantKind(t, "delete", f.store.Commit([]messages.Append{{Session: "nobody", Delete: true}})[0], messages.NotFound)
}

func TestCompareAndAppend(t *testing.T) {
	a, id := full(sid(1), 0), sid(1)
	cursor := func(run messages.RunNumber, from, to int64) messages.Append {
		c := more(id, 3, 1)
		c.Cursor, c.SpoolFrom = &messages.Cursor{Run: run, Offset: to}, from
		return c
	}
	gap := more(id, 3, 2)
	gap.Events[1].Seq++
	refusing := newFixture(t)
	refusing.commit(a)
	before := refusing.load(id)
	for _, c := range []struct {
		name   string
		append messages.Append
		kind   messages.Kind // Internal = accepted
	}{
		{"behind the head", more(id, 2, 1), messages.Aborted},
		{"beyond the head", more(id, 4, 1), messages.Aborted},
		{"stale without events", messages.Append{Session: id, Expect: 2, Record: summary(id, epoch)}, messages.Aborted},
		{"first event wrong", messages.Append{Session: id, Expect: 3, Events: events(4, 1)}, messages.Aborted},
		{"gap", gap, messages.Aborted},
		{"expected of a session that is new", more(sid(9), 3, 1), messages.Aborted},
		{"spool from elsewhere", cursor(1, 99, 120), messages.Aborted},
		{"older run", cursor(0, 0, 120), messages.Aborted},
		{"newer run, not from its start", cursor(2, 100, 120), messages.Aborted},
		{"cursor backwards", cursor(1, 100, 50), messages.Invalid},
		{"cursor from below", cursor(1, -1, 50), messages.Invalid},
		{"record of another", messages.Append{Session: id, Expect: 3, Record: summary(sid(2), epoch)}, messages.Invalid},
		{"run of another", messages.Append{Session: id, Expect: 3, Run: &messages.RunRecord{Session: sid(2), Run: 2}}, messages.Invalid},
		{"run zero", messages.Append{Session: id, Expect: 3, Run: &messages.RunRecord{Session: id}}, messages.Invalid},
		{"input without key", messages.Append{Session: id, Expect: 3, Inputs: make([]messages.InputRecord, 1)}, messages.Invalid},
		{"permission of another", messages.Append{Session: id, Expect: 3, Permissions: []messages.PermissionRecord{{Request: "x"}}}, messages.Invalid},
		{"no session", messages.Append{}, messages.Invalid},
		{"long key", messages.Append{Session: id, Expect: 3, Key: string(make([]byte, 2000))}, messages.Invalid},
		{"next", more(id, 3, 1), messages.Internal},
		{"next of the spool", cursor(1, 100, 120), messages.Internal},
		{"newer run", cursor(2, 0, 20), messages.Internal},
		{"nothing at all", messages.Append{Session: id, Expect: 3}, messages.Internal},
	} {
		if c.kind == messages.Internal {
			t.Run(c.name, func(t *testing.T) {
				f := newFixture(t)
				f.commit(a)
				f.commit(c.append)
			})
			continue
		}
		wantKind(t, c.name, refusing.store.Commit([]messages.Append{c.append})[0], c.kind)
		same(t, c.name, refusing.load(id), before)
	}
	sameEvents(t, "events", refusing.history(id), a.Events)
}

func TestRefusedAppendLeavesItsGroupAlone(t *testing.T) {
	f := newFixture(t)
	bad := full(sid(2), 0)
	bad.Expect = 1
	results := f.store.Commit([]messages.Append{
		begin(sid(1), 2), bad, more(sid(1), 2, 3), more(sid(1), 2, 1), begin(sid(3), 1), more(sid(1), 5, 1),
	})
	for i, want := range []bool{true, false, true, false, true, true} {
		if (results[i] == nil) != want {
			t.Errorf("append %d: %v", i, results[i])
		}
	}
	sameEvents(t, "events", f.history(sid(1)), events(0, 6))
	if f.load(sid(2)).Found {
		t.Error("a refused append made a session")
	}
	if st := f.store.Stats(); st.Commits != 1 || st.Appends != 4 || st.Refused != 2 || st.Events != 7 {
		t.Errorf("stats: %+v", st)
	}
}

func TestSettledAndResolvedGoAway(t *testing.T) {
	f := newFixture(t)
	f.commit(full(sid(1), 0))
	f.commit(messages.Append{
		Session: sid(1), Expect: 3, Done: []string{"one", "never there"}, Resolved: []messages.RequestID{"p1", "p2"},
		Inputs: []messages.InputRecord{{Key: "two", Seq: 2, Content: "second", State: messages.InputStarted}},
	})
	got := f.load(sid(1))
	same(t, "inputs", got.Inputs, []messages.InputRecord{{Key: "two", Seq: 2, Content: "second", State: messages.InputStarted}})
	same(t, "permissions", got.Permissions, []messages.PermissionRecord{})
	same(t, "cursor", got.Cursor, messages.Cursor{Run: 1, Offset: 100, Translator: []byte{1, 2, 3}})
}

func TestLargeBodyIsWrittenOnce(t *testing.T) {
	f := newFixture(t)
	a := full(sid(1), 0)
	a.Inputs[1].Attachments[0].Data = make([]byte, 1<<20)
	f.commit(a)
	before := f.store.Stats().WrittenBytes
	for i, state := range []messages.InputState{messages.InputWriting, messages.InputWritten, messages.InputQueued} {
		a.Inputs[1].State, a.Inputs[1].Run = state, messages.RunNumber(i)
		f.commit(messages.Append{Session: sid(1), Expect: 3, Inputs: a.Inputs[1:]})
	}
	if written := f.store.Stats().WrittenBytes - before; written > 256<<10 {
		t.Errorf("three changes of state wrote %d bytes", written)
	}
	if got := f.load(sid(1)).Inputs; len(got) != 2 || got[0].State != messages.InputQueued || len(got[0].Attachments[0].Data) != 1<<20 {
		t.Error("the input changed")
	}
}

func TestTextNeedNotBeUTF8(t *testing.T) {
	f := newFixture(t)
	a := begin(sid(1), 1)
	a.Record.WorkingDirectory, a.Record.Metadata = "/tmp/\xff\xfe", map[string]string{"\x80": "\x81"}
	a.Run = &messages.RunRecord{Session: sid(1), Run: 1, Argv: []string{"\xc3"}}
	f.commit(a)
	got := f.load(sid(1))
	same(t, "argv", got.Run.Argv, a.Run.Argv)
	same(t, "metadata", got.Record.Metadata, a.Record.Metadata)
	if listed, _, _ := f.store.Sessions("/tmp/\xff\xfe", "", 0, 0); len(listed) != 1 {
		t.Error("not listed by its directory")
	}
}

func TestClosedStoreSaysSo(t *testing.T) {
	f := newFixture(t)
	f.commit(begin(sid(1), 1))
	f.close()
	f.close()
	wantKind(t, "commit", f.store.Commit([]messages.Append{more(sid(1), 1, 1)})[0], messages.Unavailable)
	wantKind(t, "seal", f.store.Seal(), messages.Unavailable)
	_, err := f.store.Load(sid(1))
	wantKind(t, "load", err, messages.Unavailable)
	_, err = f.store.Events(sid(1), 0, 0, 0)
	wantKind(t, "events", err, messages.Unavailable)
	_, err = f.store.Resolve("@last", "")
	wantKind(t, "resolve", err, messages.Unavailable)
	_, err = f.store.Verify(t.Context(), nil)
	wantKind(t, "verify", err, messages.Unavailable)
	if f.store.SealDue() || f.store.Stats().Sessions != 0 {
		t.Error("a closed store has opinions")
	}
	f.open()
}

func TestSealDue(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.SealBytes = 256 << 10 })
	f.commit(begin(sid(1), 1))
	if f.store.SealDue() {
		t.Error("due at once")
	}
	big := more(sid(1), 1, 1)
	big.Events[0].Bytes = make([]byte, 512<<10)
	f.commit(big)
	if !f.store.SealDue() {
		t.Error("not due")
	}
	f.seal()
	if f.store.SealDue() {
		t.Error("due again")
	}
	got := f.history(sid(1))
	sameEvents(t, "events", got, slices.Concat(events(0, 1), big.Events))
}

// someOptions has options of each kind.
func someOptions() messages.AgentOptions {
	return messages.AgentOptions{
		Effort: "high", Thinking: "enabled", MaxThinkingTokens: 2048, MaxTurns: 3, MaxBudgetUSD: 0.5, Agent: "rev",
		Tools: []string{"Read"}, NoTools: true, AppendSystemPrompt: "be brief", Directories: []string{"/srv"},
		Agents: []byte(`{"rev":{}}`), Servers: messages.Secret(`{"mcpServers":{}}`), OnlyServers: true,
	}
}
