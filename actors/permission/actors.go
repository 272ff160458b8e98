package permission

import (
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// Actors are the actors of a session's undecided requests, by request. They are children of the session's actor, which alone uses the
// map.
type Actors map[messages.RequestID]*actor.PID

// Start starts the actor of a request, unless there is one. Its predecessor under the same id may still be on its way out; then it gets
// another name.
func (a Actors) Start(ctx actor.Context, d Deps, record messages.PermissionRecord, questions int) {
	if a[record.Request] != nil {
		return
	}
	first := act.ChildName("permission", record.Request)
	name := first
	for n := 2; ; n++ {
		pid, err := ctx.SpawnNamed(Props(d, record, questions), name)
		if err == nil {
			a[record.Request] = pid
			return
		}
		if !errors.Is(err, actor.ErrNameExists) {
			panic("start permission actor: " + err.Error())
		}
		name = fmt.Sprintf("%s.%d", first, n)
	}
}

// Stop ends the actor of a request.
func (a Actors) Stop(ctx actor.Context, request messages.RequestID) {
	if pid := a[request]; pid != nil {
		delete(a, request)
		ctx.Poison(pid)
	}
}

// Ended forgets an actor that has ended by itself, and returns its request.
func (a Actors) Ended(gone *actor.PID) (messages.RequestID, bool) {
	for request, pid := range a {
		if pid.Id == gone.Id {
			delete(a, request)
			return request, true
		}
	}
	return "", false
}
