package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/daybudget"
	"betcode/actors/disk"
	"betcode/actors/health"
	"betcode/actors/journal"
	"betcode/actors/notices"
	"betcode/actors/orchestration"
	"betcode/actors/pool"
	"betcode/actors/retention"
	"betcode/actors/search"
	"betcode/actors/worktree"
)

// daemon is the root of the tree. It starts its children, each after those whose
// addresses it needs, and supervises them.
//
// What survives a restart: nothing of its own.
type daemon struct{ deps *System }

// startChildren is sent once the system has the addresses of all children.
type startChildren struct{}

func daemonProps(s *System) *actor.Props {
	return s.tree.Props("daemon", s.policy, func() actor.Actor { return &daemon{deps: s} })
}

// Receive implements actor.Actor.
func (d *daemon) Receive(ctx actor.Context) {
	if _, ok := ctx.Message().(startChildren); !ok {
		return
	}
	type child struct {
		name  string
		props *actor.Props
	}
	children := []child{
		{"health", health.Props(d.deps.healthDeps())},
		{"disk", disk.Props(d.deps.diskDeps())},
		{"journal", journal.Props(d.deps.journalDeps())},
		{"pool", pool.Props(d.deps.poolDeps())},
		{"day", daybudget.Props(d.deps.dayDeps())},
		{"notices", notices.Props(d.deps.noticesDeps())},
		{"sessions", sessionsProps(d.deps)},
		{"retention", retention.Props(d.deps.retentionDeps())},
		{"backups", journal.BackupsProps(d.deps.backupsDeps())},
	}
	if d.deps.options.SearchDirectory != "" {
		children = append(children, child{"search", search.Props(d.deps.searchDeps())})
	}
	if d.deps.registry != nil {
		children = append(children, child{"worktrees", worktree.Props(d.deps.worktreeDeps())})
	}
	if d.deps.plans != nil {
		children = append(children, child{"orchestrations", orchestration.Props(d.deps.orchestrationDeps())})
	}
	for _, child := range children {
		if _, err := ctx.SpawnNamed(child.props, child.name); err != nil {
			panic("start " + child.name + ": " + err.Error())
		}
	}
}
