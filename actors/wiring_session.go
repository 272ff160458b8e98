package actors

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/client"
	"betcode/actors/health"
	"betcode/actors/internal/fork"
	"betcode/actors/internal/launchplan"
	"betcode/actors/internal/mcpconfig"
	"betcode/actors/internal/sidecar"
	"betcode/actors/internal/ticket"
	"betcode/actors/orphans"
	"betcode/actors/permission"
	"betcode/actors/run"
	"betcode/actors/session"
	"betcode/messages"
)

// toSession sends a message to the actor of a session, if it lives.
func (s *System) toSession(ctx actor.Context, id messages.SessionID, message any) {
	ctx.Send(s.sessions, addressed{id, message})
}

// toSessions sends a message to the actors of all sessions that have one.
func (s *System) toSessions(ctx actor.Context, message any) { ctx.Send(s.sessions, message) }

// planDeps returns what the planner of starts needs.
func (s *System) planDeps() launchplan.Deps {
	o := s.options
	return launchplan.Deps{
		Program: o.Program, Inherited: o.Environment, Version: o.AgentVersion, Lease: o.Lease, Runs: o.RunsDirectory, Home: o.Home, Protected: o.Protected,
		Settings: s.settings.Load, Directories: s.directories, Cgroups: s.cgroups, EnableMemory: s.cgroups.EnableMemory,
		Executable: o.Executable, Socket: o.Socket, Ticket: func(id messages.SessionID, run messages.RunNumber) (string, error) {
			return s.tickets.Issue(ticket.Run{Session: id, Number: run})
		},
	}
}

// prepared reports to health whether a run directory was made. If the next attempt would fail the same way, it returns the exit
// of the run.
func (s *System) prepared(err error) (messages.Exit, bool) {
	exit, lasts := launchplan.NotWritable(err)
	if err == nil || lasts {
		s.actors.Root.Send(s.health, health.StateDirectory{Err: err})
	}
	return exit, lasts
}

// keepReport stores the report of a session's agent. kept are the variables that the session keeps.
func (s *System) keepReport(r messages.AgentReport, directory string, kept map[string]string) error {
	runs := filepath.Join(s.options.RunsDirectory, string(r.Session))
	return sidecar.WriteReport(runs, mcpconfig.Complete(r, directory, s.planner.Environment(kept)))
}

// permissionDeps returns what the actor of a permission request needs.
func (s *System) permissionDeps() permission.Deps {
	return permission.Deps{Common: s.common(), Settings: s.settings.Load}
}

// clientDeps returns what the actor of a stream needs.
func (s *System) clientDeps() client.Deps {
	return client.Deps{Common: s.common(), Store: s.options.Store}
}

// runDeps returns what the actor of a run needs.
func (s *System) runDeps() run.Deps {
	return run.Deps{
		Common: s.common(), Health: s.health, DiskFull: s.room.Full, SpoolQuota: s.options.Disk.SpoolQuota, Archive: s.archiver.Live,
		OpenSpool: s.options.Disk.openSpool, Watcher: s.watcher, Shows: s.logs, Mask: s.options.Mask,
		Version: s.planner.Version, Refused: launchplan.Refused, Prepared: s.prepared, Spec: s.planner.Spec, Guard: s.planner.Guard,
		Fleet: fleetTickets{s.tickets},
	}
}

// sessionDeps returns what all sessions need. It needs the addresses of the actors that sessions send to.
func (s *System) sessionDeps() *session.Deps {
	return &session.Deps{
		Common: s.common(), Options: s.sessionOptions(), Settings: s.settings.Load, Started: s.started,
		Journal: s.journal, Pool: s.pool, Day: s.daily, Health: s.health,
		Run: s.runDeps(), Client: s.clientDeps(), Permission: s.permissionDeps(),
		DiskFull: s.room.Full, DayBudget: s.day.Of, Rules: s.rules.Rules, NotContinuing: s.versions.NotContinuing, Stops: s.stops,
		Environment: s.planner.Environment, DirectoryRules: s.directories.Rules, EditRefused: s.checks.EditRefused, Guard: s.directories.Guard, EndStrays: orphans.EndIn,
		SpentBelow: s.spentBelow, Seen: s.seen,
		Background: s.background, NoteVersion: s.versions.Add, SaveReport: s.keepReport, SaveAbilities: sidecar.LearnAbilities,
		Temporary: s.planner.Temporary, Archive: s.archiver.Ended, Audit: s.ended, Notify: s.notify, SubagentEnded: s.subagentEnded,
		PlanBudgetDecided: func(id messages.RequestID) { s.endings.ended(messages.SessionID(id)) },
		Shows:             s.logs, Mask: s.options.Mask,
	}
}

// sessionOptions returns the options that are the same for every session while the system runs.
func (s *System) sessionOptions() session.Options {
	return session.Options{
		Lineage: s.options.Store.Lineage(), Runs: s.options.RunsDirectory, Program: s.options.Program, OwnRules: s.directories.Known(),
		Home: s.options.Home, Protected: s.protected, Restarts: s.options.AgentRestart, Keeps: s.options.Keeps, LockGrace: s.options.LockGrace,
	}
}

// forkDeps returns what the forker needs.
func (s *System) forkDeps() fork.Deps {
	return fork.Deps{
		Exists: s.queries.Exists, Load: s.options.Store.Load, View: s.sessionView, Directory: s.checks.Directory,
		Version: s.planner.Version, Environment: s.planner.Environment,
		Start: func(ctx context.Context, m messages.StartSession) (messages.Reply, error) {
			if m.WorktreeID != "" && s.registry != nil {
				done, err := s.registry.Enter("fork session", m.WorktreeID, m.Session)
				if err != nil {
					return nil, err
				}
				defer done()
			}
			return s.giveName("fork session", m.Session, place{cmp.Or(m.Resolved, m.WorkingDirectory), m.Name}, func() (messages.Reply, error) {
				return s.ask(ctx, s.sessions, s.checks.Complete(m))
			})
		},
	}
}
