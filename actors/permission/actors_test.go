package permission

import (
	"errors"
	"slices"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
	"betcode/supervision"
)

// session is the parent of the actors: it has their names.
type session struct {
	actor.Context

	names   []string // that are taken
	stopped []string
	err     error // of the next actor
}

func (s *session) SpawnNamed(_ *actor.Props, name string) (*actor.PID, error) {
	if s.err != nil {
		return nil, s.err
	}
	pid := actor.NewPID("local", "session/"+name)
	if slices.Contains(s.names, name) {
		return pid, actor.ErrNameExists
	}
	s.names = append(s.names, name)
	return pid, nil
}

func (s *session) Poison(pid *actor.PID) { s.stopped = append(s.stopped, pid.Id) }

func TestActors(t *testing.T) {
	s, a := &session{}, Actors{}
	d := Deps{Common: act.Common{Tree: supervision.NewTree(nil, nil)}}
	start := func(request messages.RequestID) *actor.PID {
		a.Start(s, d, messages.PermissionRecord{Request: request}, 0)
		return a[request]
	}
	first := start("r1")
	if start("r1") != first || len(s.names) != 1 {
		t.Errorf("a request has the actors %v", s.names)
	}
	a.Stop(s, "r1")
	a.Stop(s, "r1")
	if !slices.Equal(s.stopped, []string{first.Id}) || a["r1"] != nil {
		t.Errorf("stopped %v", s.stopped)
	}
	second := start("r1") // the first is on its way out
	other := start("r2")
	if second == nil || second.Id == first.Id || len(s.names) != 3 {
		t.Errorf("names %v", s.names)
	}
	if request, ok := a.Ended(first); ok {
		t.Errorf("the end of a stopped actor ends that of %s", request)
	}
	if request, ok := a.Ended(second); !ok || request != "r1" || a["r1"] != nil || a["r2"] != other {
		t.Errorf("ended %q, left %v", request, a)
	}
}

func TestActorCannotStart(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Start does not panic when the actor of a request cannot be spawned")
		}
	}()
	d := Deps{Common: act.Common{Tree: supervision.NewTree(nil, nil)}}
	Actors{}.Start(&session{err: errors.New("the system ends")}, d, messages.PermissionRecord{Request: "r1"}, 0)
}
