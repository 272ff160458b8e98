package actors

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
	"betcode/messages"
)

func TestSessionsAreStartedListedRenamedAndDeleted(t *testing.T) {
	s := raise(t, newMemoryStore())
	first := must[messages.SessionStarted](s, messages.StartSession{Session: sessionN(1), Client: "ann", WorkingDirectory: "/", Name: "one"})
	if !first.Created || first.View.Record.Name != "one" || first.View.Lineage != "lineage" {
		t.Errorf("%+v", first)
	}
	if again := must[messages.SessionStarted](s, messages.StartSession{Session: sessionN(1), Client: "bob"}); again.Created {
		t.Error("created twice")
	}
	must[messages.SessionStarted](s, messages.StartSession{Session: sessionN(2), Client: "ann", WorkingDirectory: "/tmp"})

	names := func(m messages.ListSessions) (all []string) {
		for _, r := range must[messages.SessionList](s, m).Sessions {
			all = append(all, string(r.ID[len(r.ID)-1:])+r.Name)
		}
		slices.Sort(all)
		return all
	}
	must[messages.Done](s, messages.RenameSession{Session: sessionN(2), Name: "two"})
	if got := names(messages.ListSessions{}); !slices.Equal(got, []string{"1one", "2two"}) {
		t.Errorf("listed %q", got)
	}
	if got := names(messages.ListSessions{WorkingDirectory: "/tmp"}); !slices.Equal(got, []string{"2two"}) {
		t.Errorf("listed below /tmp: %q", got)
	}
	if got := must[messages.SessionResolved](s, messages.ResolveSession{Reference: "two"}); got.Session != sessionN(2) {
		t.Errorf("resolved %+v", got)
	}
	if kind := s.refused(messages.ResolveSession{Reference: "three"}); kind != messages.NotFound {
		t.Errorf("an unknown reference: %s", kind)
	}

	must[messages.Done](s, messages.DeleteSession{Session: sessionN(2)})
	if got := names(messages.ListSessions{}); !slices.Equal(got, []string{"1one"}) {
		t.Errorf("listed after the deletion: %q", got)
	}
	for _, r := range []messages.Request{
		messages.GetSession{Session: sessionN(2)},
		message(sessionN(2), 1),
		messages.DeleteSession{Session: sessionN(2)},
		messages.StartSession{Session: sessionN(2), Client: "ann", WorkingDirectory: "/"},
		messages.StopSession{Session: sessionN(3)},
	} {
		if kind := s.refused(r); kind != messages.NotFound {
			t.Errorf("%T of a session that is not there: %s", r, kind)
		}
	}
}

func TestStartChecksTheDirectory(t *testing.T) {
	s := raise(t, newMemoryStore())
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o600)
	for _, dir := range []string{"", "/nonexistent/directory", file} {
		if kind := s.refused(messages.StartSession{Session: sessionN(1), WorkingDirectory: dir}); kind != messages.Invalid {
			t.Errorf("%q: %s", dir, kind)
		}
	}
	gone := t.TempDir()
	must[messages.SessionStarted](s, messages.StartSession{Session: sessionN(1), WorkingDirectory: gone})
	os.Remove(gone)
	must[messages.SessionStarted](s, messages.StartSession{Session: sessionN(1), WorkingDirectory: gone})
}

// An agent that cannot be started is reported at once, and the next message starts it
// again.
func TestAgentThatCannotBeStarted(t *testing.T) {
	s := raise(t, newMemoryStore())
	s.open(sessionN(1))
	r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	if got := must[messages.InputAcknowledged](s, message(sessionN(1), 1)); got.Seq != 2 {
		t.Errorf("acknowledged as %d", got.Seq)
	}
	s.eventually("the agent is missed", func() bool { return r.has("error AGENT_MISSING") && r.has("ERROR") })
	if r.has("error SUBPROCESS_CRASHED") || r.has("run 2 exited") {
		t.Errorf("given: %d events", len(r.got()))
	}
	v := must[messages.SessionView](s, messages.GetSession{Session: sessionN(1)})
	if v.Record.Phase != messages.PhaseCrashed || len(v.Inputs) != 1 || v.Run.Exit.Code != 127 || v.Clients != 1 || v.LockHolder != "ann" {
		t.Errorf("%+v", v)
	}
	if got := must[messages.InputAcknowledged](s, message(sessionN(1), 1)); got.Seq != 2 {
		t.Errorf("the same key again is %d", got.Seq)
	}
	must[messages.InputAcknowledged](s, message(sessionN(1), 2))
	s.eventually("it is tried again", func() bool { return r.has("run 2 exited") })
	s.checkComplete(r, sessionN(1), 0)
	s.eventually("no actor of a run is left", func() bool { return s.tree.Count("run") == 0 })
}

// A missing runs directory causes neither a hot loop nor silence.
func TestRunsDirectoryThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o600)
	s := raise(t, newMemoryStore(), func(o *Options) { o.RunsDirectory, o.Program = file, "/bin/true" })
	s.open(sessionN(1))
	r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	must[messages.InputAcknowledged](s, message(sessionN(1), 1))
	s.eventually("the agent is given up", func() bool { return r.has("notice AGENT_GAVE_UP") })
	if run := s.store.look(sessionN(1)).Record.Run; run != 5 {
		t.Errorf("%d runs were tried", run)
	}
}

// The next daemon continues journaled work.
func TestRecovery(t *testing.T) {
	store := newMemoryStore()
	store.fill(sessionN(1), 3)
	store.fill(sessionN(2), 3)
	in := messages.InputRecord{Key: key(1), Seq: 3, Content: "hello", At: dawn}
	record := store.look(sessionN(2)).Record
	record.Phase = messages.PhaseActive
	if err := store.Commit([]messages.Append{{Session: sessionN(2), Expect: 3, Record: &record, Inputs: []messages.InputRecord{in}, Key: in.Key}})[0]; err != nil {
		t.Fatal(err)
	}
	s := raise(t, store)
	if n := s.tree.Count("session"); n != 1 {
		t.Errorf("%d sessions have an actor, want that with work left", n)
	}
	r := s.follow(messages.Attach{Session: sessionN(2), Client: "ann", Stream: "s"})
	s.eventually("the message is pursued", func() bool { return r.has("error AGENT_MISSING") })
	s.checkComplete(r, sessionN(2), 0)
}

// The actor of an idle session stops, and starts again when it is needed; a request
// that arrives while it stops is not lost.
func TestUnneededActorsGo(t *testing.T) {
	s := raise(t, newMemoryStore())
	s.open(sessionN(1))
	for n := range 50 {
		f, _, err := s.Attach(t.Context(), messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
		if err != nil {
			t.Fatalf("round %d: %v", n, err)
		}
		f.Close()
		must[messages.SessionView](s, messages.GetSession{Session: sessionN(1)})
	}
	f, _, err := s.Attach(t.Context(), messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	s.eventually("its actor has gone", func() bool { return s.tree.Count("session") == 0 && s.tree.Count("client") == 0 })
	must[messages.SessionView](s, messages.GetSession{Session: sessionN(1)})
}

func TestHealthAndTree(t *testing.T) {
	s := raise(t, newMemoryStore())
	s.open(sessionN(1))
	serving := func() bool {
		for _, c := range must[messages.HealthView](s, messages.GetHealth{}).Components {
			if !c.Serving {
				return false
			}
		}
		return true
	}
	v := must[messages.HealthView](s, messages.GetHealth{})
	if !serving() || v.Metadata["version"] != "test" || v.Metadata["lineage"] != "lineage" {
		t.Errorf("%+v", v)
	}
	s.store.fail(messages.Errorf("append", messages.Unavailable, "no space left"))
	s.actors.Root.Send(s.sessions, messages.RenameSession{Session: sessionN(1), Name: "x"})
	s.eventually("the journal is reported", func() bool { return !serving() })
	s.store.fail(nil)
	s.eventually("the journal is reported as well", serving)
	s.eventually("the session can be changed", func() bool {
		_, err := s.Ask(t.Context(), messages.RenameSession{Session: sessionN(1), Name: "y"})
		return err == nil
	})

	root := must[messages.TreeNode](s, messages.GetTree{})
	var names []string
	for _, child := range root.Children {
		names = append(names, child.Name)
	}
	if root.Name != "daemon" || !slices.Equal(names, []string{"backups", "day", "disk", "health", "journal", "notices", "pool", "retention", "sessions"}) {
		t.Errorf("%s above %q", root.Name, names)
	}
}

func TestShutdownIsDelivered(t *testing.T) {
	s := raise(t, newMemoryStore())
	must[messages.Done](s, messages.Shutdown{KeepAgents: true})
	must[messages.Done](s, messages.Shutdown{})
	select {
	case m := <-s.ShutdownWanted():
		if !m.KeepAgents {
			t.Errorf("%+v", m)
		}
	case <-time.After(time.Minute):
		t.Error("no shutdown was delivered")
	}
}

// A session that crashes while its agent is being ended has lost the requests that wait for
// that; the stop of the daemon, after this test, ends all the same.
func TestCrashWhileTheDaemonEnds(t *testing.T) {
	var logged bytes.Buffer
	t.Cleanup(func() { // behind the stop
		if strings.Contains(logged.String(), "did not end in time") {
			t.Errorf("a caller got no answer: %s", &logged)
		}
	})
	store, log := newMemoryStore(), zerolog.New(zerolog.SyncWriter(&logged))
	s := raise(t, store, func(o *Options) { o.Logger = &log })
	s.open(sessionN(1))
	reached, release := make(chan struct{}), make(chan struct{})
	store.hook(sync.OnceFunc(func() { close(reached); <-release }))
	go func() { // its answer, and every one behind it, waits for the disk
		_, _ = s.Ask(context.Background(), messages.SetGrant{Session: sessionN(1), Tool: "Bash", Granted: true})
	}()
	<-reached
	go func() {
		defer close(release)
		for asking := true; asking; { // until all sessions have the request to end
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			_, err := s.Ask(ctx, messages.GetSession{Session: sessionN(2)})
			cancel()
			asking = err == nil || !strings.Contains(err.Error(), "shutting down")
		}
		s.crash("sessions/" + act.ChildName("session", sessionN(1)))
	}()
}
