package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/disk"
	"betcode/actors/health"
	"betcode/actors/journal"
	"betcode/actors/pool"
	"betcode/actors/retention"
)

// daemon is the root of the tree. It has one duty: to start its children, in an
// order in which each finds what it needs, and to be their supervisor.
//
// What survives a restart: nothing of its own.
type daemon struct{ deps *System }

// startChildren is sent once the addresses of the children are known to everybody.
type startChildren struct{}

func daemonProps(s *System) *actor.Props {
	return s.tree.Props("daemon", s.policy, func() actor.Actor { return &daemon{deps: s} })
}

// Receive implements actor.Actor.
func (d *daemon) Receive(ctx actor.Context) {
	if _, ok := ctx.Message().(startChildren); !ok {
		return
	}
	for _, child := range []struct {
		name  string
		props *actor.Props
	}{
		{"health", health.Props(d.deps.healthDeps())},
		{"disk", disk.Props(d.deps.diskDeps())},
		{"journal", journal.Props(d.deps.journalDeps())},
		{"pool", pool.Props(d.deps.poolDeps())},
		{"sessions", sessionsProps(d.deps)},
		{"retention", retention.Props(d.deps.retentionDeps())},
		{"backups", journal.BackupsProps(d.deps.backupsDeps())},
	} {
		if _, err := ctx.SpawnNamed(child.props, child.name); err != nil {
			panic("start " + child.name + ": " + err.Error())
		}
	}
}
