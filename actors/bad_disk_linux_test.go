package actors

import (
	"errors"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/spool"
	"betcode/actors/run"
	"betcode/messages"
)

// badDisk is a spool's file that cannot be read while the disk is bad.
type badDisk struct {
	spool.File
	bad *atomic.Bool
}

func (f badDisk) ReadAt(b []byte, at int64) (int, error) {
	if f.bad.Load() {
		return 0, syscall.EIO
	}
	return f.File.ReadAt(b, at)
}

// While the disk does not answer, the agent works on and the stream gets a notice. Afterwards
// all output of the agent is there, once, whichever actor crashed meanwhile.
func TestBadDisk(t *testing.T) {
	var bad atomic.Bool
	s := withScript(t, func(o *Options) {
		o.Disk.openSpool = func(path string) (spool.File, error) {
			if bad.Load() {
				return nil, syscall.EIO
			}
			f, err := os.Open(path)
			return badDisk{f, &bad}, err
		}
	})
	s.open(sessionN(1))
	r := s.follow(messages.Attach{Session: sessionN(1), Client: "ann", Stream: "s"})
	must[messages.InputAcknowledged](s, message(sessionN(1), 1))
	pid := s.settled(sessionN(1)).Run.Process.PID
	bad.Store(true)
	must[messages.InputAcknowledged](s, message(sessionN(1), 2))
	s.eventually("the notice", func() bool { return r.has("notice OUTPUT_UNREADABLE") })
	s.eventually("health says so", func() bool { return unreadable(s) })
	s.actors.Root.Send(actor.NewPID(s.daemon.Address, "daemon/sessions/session/"+string(sessionN(1))+"/run/1"), run.Lost{Err: errors.New("poison")})
	s.eventually("it was adopted", func() bool { return r.has("run 1 adopted") })
	must[messages.InputAcknowledged](s, message(sessionN(1), 3))

	bad.Store(false)
	if now := s.settled(sessionN(1)).Run.Process.PID; now != pid {
		t.Errorf("another agent works: %d, was %d", now, pid)
	}
	for n := range 3 {
		s.eventually("the answer is shown", func() bool { return r.has("text did " + key(n+1)) })
	}
	s.eventually("the second notice", func() bool { return r.has("notice OUTPUT_READABLE") })
	s.eventually("health says so as well", func() bool { return !unreadable(s) })
	s.checkComplete(r, sessionN(1), 0)
	if session := s.tree.Snapshot("daemon/sessions/session/"+string(sessionN(1)), time.Now()); session.Restarts != 0 {
		t.Errorf("the crash of the run reached its session: %+v", session)
	}
}

// unreadable reports whether health lists spools that cannot be read.
func unreadable(s *stage) bool {
	return slices.ContainsFunc(must[messages.HealthView](s, messages.GetHealth{}).Components, func(c messages.ComponentHealth) bool {
		return c.State == "output_unreadable" && c.Degraded()
	})
}
