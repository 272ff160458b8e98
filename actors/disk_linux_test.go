package actors

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"betcode/actors/disk"
	measure "betcode/actors/internal/disk"
	"betcode/messages"
)

// tank is a disk whose free space the test sets.
type tank struct{ free atomic.Int64 }

func (d *tank) look() (measure.Space, error) {
	return measure.Space{Free: d.free.Load(), Total: 1 << 40}, nil
}

// fill sets the free space and has the daemon measure it.
func (d *tank) fill(s *stage, free int64) {
	d.free.Store(free)
	s.actors.Root.Send(s.disk, disk.LookNow{})
}

// stopped reports whether a process is stopped in the kernel.
func stopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	return err == nil && strings.HasPrefix(rest, "T")
}

func healthOf(s *stage, name string) messages.ComponentHealth {
	for _, c := range must[messages.HealthView](s, messages.GetHealth{}).Components {
		if c.Name == name {
			return c
		}
	}
	s.t.Fatalf("there is no component %s", name)
	return messages.ComponentHealth{}
}

// A full disk freezes the agent and refuses the next turn; when there is room again
// both continue.
func TestFullDisk(t *testing.T) {
	d := &tank{}
	d.free.Store(1 << 40)
	reserve := filepath.Join(t.TempDir(), "reserve")
	s := withScript(t, func(o *Options) { o.Disk = DiskOptions{look: d.look, Reserve: reserve} })
	s.eventually("a reserve is kept", func() bool {
		info, err := os.Stat(reserve)
		return err == nil && info.Size() == disk.MaxReserve
	})
	s.open(sessionN(1))
	r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	must[messages.InputAcknowledged](s, message(sessionN(1), 1))
	pid := s.settled(sessionN(1)).Run.Process.PID

	d.fill(s, 100<<20)
	s.eventually("the agent is stopped", func() bool { return stopped(pid) })
	s.eventually("the notice", func() bool { return r.has("notice DISK_FULL") })
	if kind := s.refused(message(sessionN(1), 2)); kind != messages.Exhausted {
		t.Errorf("a new turn: %v", kind)
	}
	must[messages.InputAcknowledged](s, message(sessionN(1), 1))
	s.eventually("health says so", func() bool { return !healthOf(s, "disk").Serving })
	s.eventually("the reserve is given up", func() bool { _, err := os.Stat(reserve); return err != nil })

	d.fill(s, 1<<40)
	s.eventually("the agent goes on", func() bool { return !stopped(pid) })
	s.eventually("the reserve is kept again", func() bool { _, err := os.Stat(reserve); return err == nil })
	s.eventually("health says so", func() bool { return healthOf(s, "disk").Serving })
	must[messages.InputAcknowledged](s, message(sessionN(1), 2))
	s.eventually("the next turn", func() bool { return r.has("text did " + key(2)) })
	s.checkComplete(r, sessionN(1), 0)
}

// A frozen agent can be stopped. An agent that an earlier daemon froze is thawed by the
// next daemon, unless the disk is still full.
func TestHeldAgentMeetsTheNextDaemon(t *testing.T) {
	for _, room := range []bool{true, false} {
		t.Run(fmt.Sprintf("room %v", room), func(t *testing.T) {
			d := &tank{}
			d.free.Store(1 << 40)
			program := filepath.Join(t.TempDir(), "agent")
			if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			runs, store := filepath.Join(t.TempDir(), "runs"), newMemoryStore()
			change := func(o *Options) {
				o.Disk.look, o.Program, o.RunsDirectory = d.look, program, runs
				o.Environment = []string{"PATH=" + os.Getenv("PATH")}
			}
			var pid int
			t.Run("first", func(t *testing.T) {
				s := raiseKeeping(t, store, change)
				s.open(sessionN(1))
				must[messages.InputAcknowledged](s, message(sessionN(1), 1))
				pid = s.settled(sessionN(1)).Run.Process.PID
				d.fill(s, 0)
				s.eventually("the agent is stopped", func() bool { return stopped(pid) })
			})
			if !stopped(pid) {
				t.Fatal("the agent goes on without a daemon")
			}
			if room {
				d.free.Store(1 << 40)
			}
			s := raise(t, store, change)
			s.eventually("it was adopted", func() bool {
				return must[messages.SessionView](s, messages.GetSession{Session: sessionN(1)}).Run.State == messages.RunRunning
			})
			if room {
				s.eventually("it goes on", func() bool { return !stopped(pid) })
			} else {
				s.eventually("it is frozen", func() bool {
					return strings.Contains(fmt.Sprint(s.tree.Snapshot("daemon", s.now())), "disk full")
				})
			}
			if got := must[messages.SessionStopped](s, messages.StopSession{Session: sessionN(1)}); !got.WasRunning {
				t.Errorf("%+v", got)
			}
			if alive(pid) {
				t.Error("the agent lives on")
			}
		})
	}
}

// While the journal cannot be written, streams get the agent's output as volatile events and no
// request is accepted. Afterwards all of it is published again, with numbers, once.
func TestJournalFailsAndComesBack(t *testing.T) {
	s := withScript(t)
	s.open(sessionN(1))
	r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	must[messages.InputAcknowledged](s, message(sessionN(1), 1))
	pid := s.settled(sessionN(1)).Run.Process.PID
	s.eventually("the answer is shown", func() bool { return r.has("text did " + key(1)) })
	s.store.hook(func() { // the message is accepted, and nothing behind it is written
		if in := s.store.look(sessionN(1)).Inputs; len(in) > 0 {
			s.store.fail(messages.Errorf("append", messages.Unavailable, "no space left"))
		}
	})
	must[messages.InputAcknowledged](s, message(sessionN(1), 2))
	s.eventually("the notice", func() bool { return r.has("notice JOURNAL_FAILS") })
	s.eventually("the answer is shown nevertheless", func() bool { return r.has("text did " + key(2)) })
	if kind := s.refused(message(sessionN(1), 3)); kind != messages.Unavailable {
		t.Errorf("a message: %v", kind)
	}
	if healthOf(s, "sqlite").Serving {
		t.Error("health does not say so")
	}
	s.store.hook(nil)
	s.store.fail(nil)
	s.eventually("the second notice", func() bool { return r.has("notice JOURNAL_BACK") })
	s.eventually("the next message is accepted", func() bool {
		_, err := s.Ask(t.Context(), message(sessionN(1), 3))
		return err == nil
	})
	if v := s.settled(sessionN(1)); v.Run.Process.PID != pid || v.Record.Run != 1 {
		t.Errorf("another agent: %+v", v.Run)
	}
	s.checkComplete(r, sessionN(1), 0)
}
