package persistence

import (
	"strings"
	"testing"
	"time"

	"betcode/messages"
	"betcode/persistence/internal/fault"
)

// named makes sessions, each changed a minute after the one before.
func named(f *fixture, names ...string) {
	for i, name := range names {
		a := begin(sid(i+1), i)
		a.Record.Name, a.Record.UpdatedAt = name, epoch.Add(time.Duration(i)*time.Minute)
		if i%2 == 1 {
			a.Record.WorkingDirectory, a.Record.WorktreeID = "/odd", "w"
		}
		f.commit(a)
	}
}

func listed(t *testing.T, f *fixture, directory, worktree string, limit, offset int) (ids []messages.SessionID, total int) {
	t.Helper()
	records, total, err := f.store.Sessions(directory, worktree, limit, offset)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	return ids, total
}

// A session that has something to do is found without reading the others, also after the journal was opened again.
func TestSelect(t *testing.T) {
	f := newFixture(t)
	for i, change := range []func(*messages.SessionRecord){
		func(r *messages.SessionRecord) { r.Phase = messages.PhaseIdle },
		func(r *messages.SessionRecord) { r.Phase = messages.PhaseActive },
		func(r *messages.SessionRecord) { r.Phase = messages.PhaseClosed },
		func(r *messages.SessionRecord) { r.Phase, r.Condition = messages.PhaseIdle, "agent_missing" },
		func(r *messages.SessionRecord) { r.Phase, r.Waiting = messages.PhaseIdle, "policy" },
		func(r *messages.SessionRecord) { r.Phase, r.Budget.Held = messages.PhaseIdle, "budget" },
		func(r *messages.SessionRecord) { r.Phase = messages.PhaseCrashed },
		func(r *messages.SessionRecord) { r.Phase, r.WorkingDirectory = messages.PhaseNew, "/odd" },
		func(r *messages.SessionRecord) { r.Phase, r.Stopped.At = messages.PhaseCrashed, epoch },
	} {
		a := begin(sid(i+1), i)
		a.Record.UpdatedAt = epoch.Add(time.Duration(i) * time.Minute)
		change(a.Record)
		f.commit(a)
	}
	for range 2 {
		for _, c := range []struct {
			directory string
			rest      messages.Rest
			want      []messages.SessionID
		}{
			{"", messages.Busy, []messages.SessionID{sid(7), sid(6), sid(5), sid(4), sid(3), sid(2)}},
			{"", messages.RestStopped, []messages.SessionID{sid(9), sid(3)}},
			{"", messages.RestIdle, []messages.SessionID{sid(8), sid(3), sid(1)}},
			{"/odd", messages.RestIdle, []messages.SessionID{sid(8)}},
			{"/odd", messages.Busy, nil},
		} {
			records, err := f.store.Select(c.directory, "", func(id messages.SessionID, rest messages.Rest) bool { return rest == c.rest || id == sid(3) })
			if err != nil {
				t.Fatal(err)
			}
			var got []messages.SessionID
			for _, r := range records {
				got = append(got, r.ID)
			}
			same(t, "selected", got, c.want)
		}
		f.reopen()
	}
}

func TestSessionsAreListedNewestFirst(t *testing.T) {
	f := newFixture(t)
	named(f, "a", "b", "c", "d", "e")
	for _, c := range []struct {
		directory, worktree string
		limit, offset       int
		want                []messages.SessionID
		total               int
	}{
		{"", "", 0, 0, []messages.SessionID{sid(5), sid(4), sid(3), sid(2), sid(1)}, 5},
		{"", "", 2, 0, []messages.SessionID{sid(5), sid(4)}, 5},
		{"", "", 2, 3, []messages.SessionID{sid(2), sid(1)}, 5},
		{"", "", 2, 9, nil, 5},
		{"/odd", "", 0, 0, []messages.SessionID{sid(4), sid(2)}, 2},
		{"/odd", "w", 1, 1, []messages.SessionID{sid(2)}, 2},
		{"/src", "w", 0, 0, nil, 0},
	} {
		for range 2 {
			got, total := listed(t, f, c.directory, c.worktree, c.limit, c.offset)
			same(t, "listed", got, c.want)
			if total != c.total {
				t.Errorf("total %d, want %d", total, c.total)
			}
		}
	}
	// A change moves a session to the front; equal times are ordered by id.
	f.commit(messages.Append{Session: sid(2), Expect: 1, Record: summary(sid(2), epoch.Add(time.Hour))},
		messages.Append{Session: sid(4), Expect: 3, Record: summary(sid(4), epoch.Add(time.Hour))})
	got, _ := listed(t, f, "", "", 3, 0)
	same(t, "after a change", got, []messages.SessionID{min(sid(2), sid(4)), max(sid(2), sid(4)), sid(5)})
	records, _, _ := f.store.Sessions("", "", 0, 2)
	if records[0].Head != 4 {
		t.Errorf("head is %d", records[0].Head)
	}
}

func TestResolve(t *testing.T) {
	f := newFixture(t)
	_, err := f.store.Resolve("@last", "")
	wantKind(t, "last of none", err, messages.NotFound)
	named(f, "fix the tests", "twin", "twin", string(sid(1)[:6]), "")
	f.commit(messages.Append{Session: sid(5), Expect: 4, Record: summary(sid(5), epoch.Add(time.Hour))})
	for _, c := range []struct {
		reference string
		want      messages.SessionID
		kind      messages.Kind
	}{
		{string(sid(2)), sid(2), 0},
		{string(sid(2)[:4]), sid(2), 0},
		{strings.ToUpper(string(sid(2)[:12])), sid(2), 0},
		{string(sid(2)[:3]), "", messages.NotFound},
		{"fix the tests", sid(1), 0},
		{"Fix the tests", "", messages.NotFound},
		{"twin", "", messages.Invalid},
		{string(sid(1)[:6]), "", messages.Invalid}, // the name of one, the beginning of another
		{string(sid(1)[:7]), sid(1), 0},
		{"@last", sid(5), 0},
		{"", "", messages.NotFound},
	} {
		if got, err := f.store.Resolve("twin", "/odd"); got != sid(2) || err != nil {
			t.Fatalf("of a directory: %q, %v", got, err)
		}
		got, err := f.store.Resolve(c.reference, "/nowhere")
		if got != c.want || (err != nil && messages.KindOf(err) != c.kind) || (err == nil) != (c.want != "") {
			t.Errorf("%q: %q, %v", c.reference, got, err)
		}
		if c.kind != messages.Invalid {
			continue
		}
		if e := fault.As(err); !strings.Contains(e.Details["candidates"], ", ") || !strings.Contains(e.Error(), "ambiguous") {
			t.Errorf("%q: %v, candidates %q", c.reference, e, e.Details["candidates"])
		}
	}
}

// A session without a name is found by the title that lists show, unless another one has that as its name. Titles that prompts of
// programs gave are none, and one that several sessions have means the only one of a directory.
func TestResolveTitles(t *testing.T) {
	f := newFixture(t)
	for i, change := range []func(*messages.SessionRecord){
		func(r *messages.SessionRecord) { r.Title = "fix the login" },
		func(r *messages.SessionRecord) { r.Title, r.Name = "named later", "login" },
		func(r *messages.SessionRecord) { r.Title = "login" },
		func(r *messages.SessionRecord) {
			r.Title, r.Subagent = "of a subagent", &messages.SubagentRecord{Parent: sid(1)}
		},
		func(r *messages.SessionRecord) { r.Title, r.WorkingDirectory = "twin", "/a" },
		func(r *messages.SessionRecord) { r.Title, r.WorkingDirectory = "twin", "/b" },
	} {
		r := summary(sid(i+1), epoch)
		r.Name = ""
		change(r)
		f.commit(messages.Append{Session: r.ID, Record: r})
	}
	for _, c := range []struct {
		reference, directory string
		want                 messages.SessionID
		kind                 messages.Kind
	}{
		{"fix the login", "/nowhere", sid(1), 0},
		{"login", "", sid(2), 0},
		{"named later", "", "", messages.NotFound},
		{"fix the", "", "", messages.NotFound},
		{"of a subagent", "", "", messages.NotFound},
		{"twin", "", "", messages.Invalid},
		{"twin", "/nowhere", "", messages.Invalid},
		{"twin", "/b", sid(6), 0},
		{"", "", "", messages.NotFound},
	} {
		got, err := f.store.Resolve(c.reference, c.directory)
		if got != c.want || (err != nil && messages.KindOf(err) != c.kind) || (err == nil) != (c.want != "") {
			t.Errorf("%q in %q: %q, %v", c.reference, c.directory, got, err)
		}
	}
}

// Journals of former versions hold sessions of one name in one directory. They stay as they are, and the name means none of them.
func TestSessionsOfOneNameInOneDirectory(t *testing.T) {
	f := newFixture(t)
	named(f, "twin", "other", "twin")
	_, err := f.store.Resolve("twin", "/src")
	wantKind(t, "of one directory", err, messages.Invalid)
	for _, want := range []string{string(sid(1)) + " in /src", string(sid(3)) + " in /src"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}

// Named finds what people have named: also a session that was reached through a link.
func TestNamed(t *testing.T) {
	f := newFixture(t)
	for i, change := range []func(*messages.SessionRecord){
		func(*messages.SessionRecord) {},
		func(r *messages.SessionRecord) { r.WorkingDirectory, r.Resolved = "/link", "/target" },
		func(r *messages.SessionRecord) { r.Name, r.Subagent = "sub", &messages.SubagentRecord{Parent: sid(1)} },
		func(r *messages.SessionRecord) { r.Name, r.Proxy = "remote", &messages.ProxyRecord{} },
	} {
		a := begin(sid(i+1), i)
		a.Record.Name = "name"
		change(a.Record)
		f.commit(a)
	}
	for at, want := range map[[2]string]messages.SessionID{
		{"/src", "name"}: sid(1), {"/link", "name"}: sid(2), {"/target", "name"}: sid(2),
		{"/src", "sub"}: "", {"/src", "remote"}: "", {"/src", "x"}: "", {"/x", "name"}: "",
	} {
		if got, found := f.store.Named(at[0], at[1]); got != want || found != (want != "") {
			t.Errorf("%v: %q", at, got)
		}
	}
	f.commit(messages.Append{Session: sid(1), Delete: true})
	if got, found := f.store.Named("/src", "name"); found {
		t.Errorf("the name of a deleted session is taken by %q", got)
	}
}
