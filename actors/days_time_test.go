package actors

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/actortest"
	"betcode/actors/internal/spool"
	"betcode/messages"
)

// days is a whole actor system in virtual time: a month takes milliseconds. Its
// agents have ended, and their requests are pending.
type days struct {
	*System
	t     *testing.T
	store *memoryStore
	began time.Time
	seen  messages.Seq // the last event that says has compared
}

// inDays runs a test on a session whose agent was killed while it asked for p1.
func inDays(t *testing.T, test func(d *days)) {
	synctest.Test(t, func(t *testing.T) {
		d := &days{t: t, store: newMemoryStore(), began: time.Now().Round(0)}
		d.seed("p1", "Bash")
		d.start()
		test(d)
		d.stop()
		time.Sleep(2 * time.Second) // the library's throttle of dead letters
	})
}

// seed journals a session whose agent asks when the machine stops.
func (d *days) seed(id messages.RequestID, tool string) {
	record := messages.SessionRecord{
		ID: sessionA, Name: "work", WorkingDirectory: "/", Phase: messages.PhaseActive, Run: 1,
		AgentSession: string(sessionA), CreatedAt: d.began, UpdatedAt: d.began,
	}
	run := messages.RunRecord{
		Format: 1, Session: sessionA, Run: 1, State: messages.RunRunning, Token: "token",
		Directory: "/nonexistent/run", Process: messages.ProcessIdentity{PID: 1 << 30, StartTime: 1, BootID: "another"},
	}
	err := d.store.Commit([]messages.Append{{
		Session: sessionA, Commit: 1, Record: &record, Run: &run,
		Cursor: &messages.Cursor{Run: 1}, Permissions: []messages.PermissionRecord{{
			Request: id, Session: sessionA, Run: 1, Seq: 1, Tool: tool, Input: []byte(`{"command":"ls"}`),
			ReceivedAt: d.began, ForwardedAt: d.began, ExpiresAt: d.began.Add(7 * 24 * time.Hour),
		}},
	}})[0]
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *days) start(change ...func(*Options)) {
	log := zerolog.Nop()
	o := Options{
		Disk:     DiskOptions{look: endless},
		Settings: defaults(), Store: d.store, RunsDirectory: filepath.Join(d.t.TempDir(), "runs"), Program: "/nonexistent/claude", Logger: &log,
		Restart: forgiving, AgentRestart: quickly, Version: "test",
	}
	for _, c := range change {
		c(&o)
	}
	var err error
	if d.System, err = startWith(o, spool.NewPollingWatcher()); err != nil {
		d.t.Fatal(err)
	}
	<-d.Ready()
	time.Sleep(time.Second)
	synctest.Wait()
}

func (d *days) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := d.Stop(ctx, true); err != nil {
		d.t.Errorf("stop: %v", err)
	}
}

// until lets time pass up to a moment after the beginning.
func (d *days) until(after time.Duration) {
	time.Sleep(time.Until(d.began.Add(after)))
	synctest.Wait()
}

// says compares the events that were journaled since its last call.
func (d *days) says(want ...string) {
	d.t.Helper()
	var got []string
	for _, e := range d.store.look(sessionA).After(d.seen, 1000, 1<<20) {
		d.seen = e.Seq
		var event pb.AgentEvent
		if err := proto.Unmarshal(e.Bytes, &event); err != nil {
			d.t.Fatal(err)
		}
		word := actortest.ShowPayload(&event)
		if age := event.GetNotice().GetDetails()["age"]; age != "" {
			word += " " + age
		}
		got = append(got, word)
	}
	if !slices.Equal(got, want) {
		d.t.Errorf("after %s: %q, want %q", time.Since(d.began), got, want)
	}
}

func (d *days) ask(r messages.Request) (messages.Reply, error) {
	defer synctest.Wait()
	return d.Ask(context.Background(), r)
}

func (d *days) pending() []messages.PermissionRecord {
	permissions := d.store.look(sessionA).Permissions
	var all []messages.PermissionRecord
	for _, p := range permissions {
		all = append(all, p)
	}
	return all
}

const day = 24 * time.Hour

// rebooted are the events of the first daemon after a restart of the machine.
var rebooted = []string{"run 1 lost", "notice PERMISSION_KEPT", "error SUBPROCESS_CRASHED", "IDLE"}
