package queries

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"betcode/actors/internal/sidecar"
	"betcode/messages"
)

// Sessions that cannot be loaded come behind all others, and count.
func TestDamagedSessionsAreListed(t *testing.T) {
	s := &store{damaged: []messages.DamagedSession{
		{Record: messages.SessionRecord{ID: "x", WorkingDirectory: "/p"}}, {Record: messages.SessionRecord{ID: "y", WorkingDirectory: "/q"}},
	}}
	s.add(messages.SessionRecord{ID: "a", WorkingDirectory: "/p"})
	s.add(messages.SessionRecord{ID: "b", WorkingDirectory: "/p"})
	q := over(t, s)
	for _, c := range []struct {
		m     messages.ListSessions
		want  []messages.SessionID
		total int
	}{
		{messages.ListSessions{}, []messages.SessionID{"a", "b", "x", "y"}, 4},
		{messages.ListSessions{Limit: 3}, []messages.SessionID{"a", "b", "x"}, 4},
		{messages.ListSessions{Limit: 3, Offset: 3}, []messages.SessionID{"y"}, 4},
		{messages.ListSessions{WorkingDirectory: "/p"}, []messages.SessionID{"a", "b", "x"}, 3},
	} {
		list := answer[messages.SessionList](t, q, c.m)
		var ids []messages.SessionID
		for _, r := range list.Sessions {
			ids = append(ids, r.ID)
		}
		if !slices.Equal(ids, c.want) || list.Total != c.total {
			t.Errorf("%+v: %q of %d", c.m, ids, list.Total)
		}
	}
}

// A list that limits idle sessions has all others: also those whose only reason is a request or a queue.
func TestBusySessions(t *testing.T) {
	s := &store{damaged: []messages.DamagedSession{{Record: messages.SessionRecord{ID: "x"}}}}
	for id, r := range map[messages.SessionID]messages.SessionRecord{
		"a": {Phase: messages.PhaseIdle}, "b": {Phase: messages.PhaseActive}, "c": {Phase: messages.PhaseClosed}, "d": {Phase: messages.PhaseNew},
		"e": {Phase: messages.PhaseIdle, Condition: "agent_missing"}, "f": {Phase: messages.PhaseClosed}, "g": {Phase: messages.PhaseIdle},
	} {
		r.ID = id
		s.add(r)
	}
	asks := s.sessions["c"]
	asks.Permissions = []messages.PermissionRecord{{Session: "c", Request: "p"}}
	s.sessions["c"] = asks
	decided := s.sessions["f"]
	decided.Permissions = []messages.PermissionRecord{{Session: "f", Request: "q", Decision: messages.AllowOnce}}
	s.sessions["f"] = decided
	q := over(t, s)
	q.deps.Slots = func() messages.SlotQueue {
		return messages.SlotQueue{Waiting: []messages.SlotWaiter{{Session: "g"}}}
	}
	for resting, want := range map[int]struct {
		ids     []messages.SessionID
		omitted messages.Omitted
	}{
		0: {[]messages.SessionID{"b", "c", "e", "g", "x"}, messages.Omitted{Idle: 2, Stopped: 1}},
		1: {[]messages.SessionID{"a", "b", "c", "e", "g", "x"}, messages.Omitted{Idle: 1, Stopped: 1}},
		9: {[]messages.SessionID{"a", "b", "c", "d", "e", "f", "g", "x"}, messages.Omitted{}},
	} {
		list := answer[messages.SessionList](t, q, messages.ListSessions{Resting: &resting, Limit: 1, Offset: 3})
		var ids []messages.SessionID
		for _, r := range list.Sessions {
			ids = append(ids, r.ID)
		}
		if !slices.Equal(ids, want.ids) || list.Omitted != want.omitted || list.Total != 8 {
			t.Errorf("%d: %q, omitted %+v, of %d", resting, ids, list.Omitted, list.Total)
		}
	}
}

// Only requests that wait for a decision are listed.
func TestListPermissions(t *testing.T) {
	s := &store{}
	s.add(messages.SessionRecord{ID: "a"})
	loaded := s.sessions["a"]
	loaded.Permissions = []messages.PermissionRecord{{Request: "p1"}, {Request: "p2", Decision: messages.AllowOnce}}
	s.sessions["a"] = loaded
	if got := answer[messages.PermissionList](t, over(t, s), messages.ListPermissions{Session: "a"}).Permissions; len(got) != 1 || got[0].Request != "p1" {
		t.Errorf("%+v", got)
	}
}

// Every query about a session that does not exist gets NotFound.
func TestUnknownSession(t *testing.T) {
	q := over(t, &store{})
	for _, r := range []messages.Request{
		messages.GetRawOutput{Session: "a"},
		messages.ListRules{Session: "a"},
		messages.TestRules{Session: "a"},
		messages.GetAgentReports{Session: "a"},
		messages.ListPath{Session: "a"},
	} {
		if kind := refused(t, q, r); kind != messages.NotFound {
			t.Errorf("%T: %s", r, kind)
		}
	}
	if q.Exists("a") {
		t.Error("it exists")
	}
	if kind := refused(t, q, messages.DeleteSession{Session: "a"}); kind != messages.Unimplemented {
		t.Errorf("a command: %s", kind)
	}
}

func TestReports(t *testing.T) {
	s := &store{}
	s.add(messages.SessionRecord{ID: "a"})
	s.add(messages.SessionRecord{ID: "b"})
	s.add(messages.SessionRecord{ID: "c"}) // has reported nothing
	loaded := s.sessions["a"]
	loaded.Run = &messages.RunRecord{State: messages.RunFinished}
	s.sessions["a"] = loaded
	loaded.Run = &messages.RunRecord{}
	loaded.Record.ID = "b"
	s.sessions["b"] = loaded
	q := over(t, s)
	for n, id := range []messages.SessionID{"a", "b"} {
		if err := os.Mkdir(q.runsOf(id), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := sidecar.WriteReport(q.runsOf(id), messages.AgentReport{Version: string(id), At: dawn.AddDate(0, 0, n)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sidecar.LearnAbilities(q.runsOf("a"), messages.Abilities{Models: []string{"m"}}); err != nil {
		t.Fatal(err)
	}
	all := answer[messages.AgentReports](t, q, messages.GetAgentReports{}).Reports
	if len(all) != 2 || all[0].Session != "b" || !all[0].Running || all[1].Session != "a" || all[1].Running || !slices.Equal(all[1].Models, []string{"m"}) {
		t.Errorf("%+v", all)
	}
	if one := answer[messages.AgentReports](t, q, messages.GetAgentReports{Session: "c"}).Reports; len(one) != 0 {
		t.Errorf("%+v", one)
	}
}

func TestMachine(t *testing.T) {
	q := over(t, &store{})
	if kind := refused(t, q, messages.GetMachine{}); kind != messages.Unimplemented {
		t.Errorf("without a file: %s", kind)
	}
	q.deps.MachineFile = filepath.Join(t.TempDir(), "machine-id")
	first := answer[messages.MachineView](t, q, messages.GetMachine{})
	if again := answer[messages.MachineView](t, q, messages.GetMachine{}); again.ID != first.ID || first.ID == "" || first.DiskFree != 7 || !first.Seen.Equal(dawn) {
		t.Errorf("%+v, then %+v", first, again)
	}
}

// A session whose agent has reported nothing gets what another agent of its directory has reported, and what the user's own
// files define.
func TestAbilitiesOfARelative(t *testing.T) {
	s := &store{}
	s.add(messages.SessionRecord{ID: "a", WorkingDirectory: "/p"})
	s.add(messages.SessionRecord{ID: "b", WorkingDirectory: "/p"})
	s.add(messages.SessionRecord{ID: "c", WorkingDirectory: "/q"})
	q := over(t, s)
	home := t.TempDir()
	q.deps.Environment = func(map[string]string) []string { return []string{"HOME=" + home} }
	if err := os.MkdirAll(filepath.Join(home, ".claude", "commands"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".claude", "commands", "mine.md"), []byte("---\ndescription: x\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(q.runsOf("b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := sidecar.LearnAbilities(q.runsOf("b"), messages.Abilities{Commands: []messages.AgentCommand{{Name: "theirs"}}}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[messages.SessionID][]string{"a": {"theirs", "mine"}, "b": {"theirs"}, "c": {"mine"}, "gone": nil} {
		var names []string
		for _, c := range q.Abilities(id).Commands {
			names = append(names, c.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: %q, want %q", id, names, want)
		}
	}
}

// A query ends when its caller has left.
func TestRulesAreTestedUntilTheCallerGoes(t *testing.T) {
	s := &store{}
	s.add(messages.SessionRecord{ID: "a", Head: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := over(t, s).Answer(ctx, messages.TestRules{Session: "a"}); err == nil {
		t.Error("it was answered")
	}
}

// Nothing is read in a directory that a proxy names: its agent is on another machine.
func TestPathsOfAProxiedSession(t *testing.T) {
	s, dir := &store{}, t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "precious"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.add(messages.SessionRecord{ID: "local", WorkingDirectory: dir})
	s.add(messages.SessionRecord{ID: "remote", WorkingDirectory: dir, Proxy: &messages.ProxyRecord{}})
	q := over(t, s)
	for session, want := range map[messages.SessionID]int{"local": 1, "remote": 0} {
		if got := answer[messages.PathList](t, q, messages.ListPath{Session: session, Limit: 10}).Entries; len(got) != want {
			t.Errorf("%s: %v", session, got)
		}
	}
}
