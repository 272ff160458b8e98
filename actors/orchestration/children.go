package orchestration

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// Begin is sent when the journal of a new orchestration is durable.
type Begin struct{ ID messages.OrchestrationID }

// PlacesChanged is sent when more steps may run than before.
type PlacesChanged struct{}

// orchestrations has a child for each unfinished plan, and for each one that a client wants to change.
//
// What survives a restart: the journals. The next incarnation starts the children again.
type orchestrations struct {
	deps    Deps
	live    map[messages.OrchestrationID]*actor.PID
	leaving map[messages.OrchestrationID][]early // children that are being stopped, with the messages that arrived meanwhile
}

// Props describes the orchestrations actor.
func Props(d Deps) *actor.Props {
	return d.Props("orchestrations", func() actor.Actor {
		return &orchestrations{deps: d, live: map[messages.OrchestrationID]*actor.PID{}, leaving: map[messages.OrchestrationID][]early{}}
	})
}

// Receive implements actor.Actor.
func (o *orchestrations) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		for _, id := range o.deps.Registry.unfinished() {
			o.child(ctx, id)
		}
	case Begin:
		if _, leaving := o.leaving[m.ID]; !leaving {
			o.child(ctx, m.ID)
		}
	case messages.OrchestrationRequest:
		o.route(ctx, m.Orchestration(), early{ctx.Sender(), m})
	case PlacesChanged:
		for _, pid := range o.live {
			ctx.Send(pid, limitChanged{})
		}
	case idle:
		if _, leaving := o.leaving[m.id]; !leaving && o.live[m.id] != nil {
			o.leaving[m.id] = []early{}
			ctx.Request(o.live[m.id], mayLeave{})
		}
	case leaveAnswer:
		o.leave(ctx, m)
	case *actor.Terminated:
		o.gone(ctx, m.Who)
	}
}

func (o *orchestrations) route(ctx actor.Context, id messages.OrchestrationID, e early) {
	if waiting, leaving := o.leaving[id]; leaving {
		o.leaving[id] = append(waiting, e)
		return
	}
	ctx.RequestWithCustomSender(o.child(ctx, id), e.message, e.from)
}

// child returns the child of an orchestration, which it starts if there is none.
func (o *orchestrations) child(ctx actor.Context, id messages.OrchestrationID) *actor.PID {
	if pid := o.live[id]; pid != nil {
		return pid
	}
	pid, err := ctx.SpawnNamed(props(o.deps, id), act.ChildName("orchestration", id))
	if err != nil {
		panic("start orchestration: " + err.Error())
	}
	o.live[id] = pid
	return pid
}

// leave stops an idle child, or sends it the messages that were queued for it.
func (o *orchestrations) leave(ctx actor.Context, m leaveAnswer) {
	pid := o.live[m.id]
	if pid == nil {
		return // its supervisor stopped it meanwhile
	}
	if m.leaves {
		delete(o.live, m.id)
		ctx.Poison(pid)
		return
	}
	o.deliver(ctx, m.id)
}

// gone handles the end of a child: it starts the child again if messages are queued for it.
func (o *orchestrations) gone(ctx actor.Context, who *actor.PID) {
	for id, pid := range o.live {
		if pid.Id == who.Id { // its supervisor stopped it
			delete(o.live, id)
		}
	}
	for id := range o.leaving {
		if who.Id == ctx.Self().Id+"/"+act.ChildName("orchestration", id) {
			o.deliver(ctx, id)
		}
	}
}

// deliver sends a child the messages that were queued for it.
func (o *orchestrations) deliver(ctx actor.Context, id messages.OrchestrationID) {
	waiting := o.leaving[id]
	delete(o.leaving, id)
	for _, e := range waiting {
		o.route(ctx, id, e)
	}
}
