package actors

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"betcode/actors/client"
	"betcode/actors/daybudget"
	"betcode/actors/disk"
	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/actors/internal/checks"
	"betcode/actors/internal/fork"
	"betcode/actors/internal/launchplan"
	"betcode/actors/internal/mcpconfig"
	"betcode/actors/internal/notify"
	"betcode/actors/internal/queries"
	"betcode/actors/internal/sidecar"
	"betcode/actors/internal/ticket"
	"betcode/actors/journal"
	"betcode/actors/notices"
	"betcode/actors/orchestration"
	"betcode/actors/permission"
	"betcode/actors/pool"
	"betcode/actors/retention"
	"betcode/actors/run"
	"betcode/actors/search"
	"betcode/actors/session"
	"betcode/actors/session/requests"
	"betcode/actors/strays"
	"betcode/messages"
)

// The dependencies that the system gives to each actor.

// common returns the dependencies of every actor.
func (s *System) common() act.Common {
	return act.Common{Tree: s.tree, Policy: s.policy, Workers: &s.workers, Now: s.now, Log: s.logOf}
}

// toSession sends a message to the actor of a session, if it lives.
func (s *System) toSession(ctx actor.Context, id messages.SessionID, message any) {
	ctx.Send(s.sessions, addressed{id, message})
}

// toSessions sends a message to the actors of all sessions that have one.
func (s *System) toSessions(ctx actor.Context, message any) { ctx.Send(s.sessions, message) }

// healthDeps returns what the health actor needs.
func (s *System) healthDeps() health.Deps {
	now := s.settings.Load()
	return health.Deps{
		Common: s.common(), Journal: s.journal, MemoryLimit: s.options.MemoryLimit, Metadata: s.metadata, Others: s.components,
		Pool: health.Pool{Limit: now.MaxAgents, Queue: now.MaxWaiting},
	}
}

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

// checksDeps returns what the checks of requests need.
func (s *System) checksDeps() checks.Deps {
	return checks.Deps{
		Load: s.options.Store.Load, Exists: s.queries.Exists, Version: s.planner.Version, Rules: s.rules.Rules, Directories: s.directories,
		Protected: s.protected, Home: s.options.Home, Own: append([]string{filepath.Dir(s.options.RunsDirectory)}, s.options.Protected...),
	}
}

// noticesDeps returns what the actor of notices needs.
func (s *System) noticesDeps() notices.Deps {
	return notices.Deps{
		Common: s.common(), Settings: s.settings.Load, Notifier: s.notifier, Directory: s.options.NoticesDirectory,
		Decided: func(id messages.SessionID, request messages.RequestID) bool {
			_, decided, err := s.options.Store.Seen(id, requests.DecisionKey(request))
			return err == nil && decided
		},
	}
}

// notify sends a notice to the actor that delivers it.
func (s *System) notify(n notify.Notice) {
	s.actors.Root.Send(s.below("notices"), notices.Raise{Notice: n})
}

// queriesDeps returns what queries need, which no actor answers.
func (s *System) queriesDeps() queries.Deps {
	return queries.Deps{
		Store: s.options.Store, Runs: s.options.RunsDirectory, Home: s.options.Home, MachineFile: s.options.MachineFile,
		Environment: s.planner.Environment, Now: s.now, Rules: s.rules.Load, Directories: s.directories, Protected: s.protected,
		Space: s.room.Measure, View: s.sessionView, Worktrees: s.keptWorktrees,
		Slots: s.slotQueue,
	}
}

// keepReport stores the report of a session's agent. kept are the variables that the session keeps.
func (s *System) keepReport(r messages.AgentReport, directory string, kept map[string]string) error {
	runs := filepath.Join(s.options.RunsDirectory, string(r.Session))
	return sidecar.WriteReport(runs, mcpconfig.Complete(r, directory, s.planner.Environment(kept)))
}

// diskDeps returns what the disk actor needs.
func (s *System) diskDeps() disk.Deps {
	return disk.Deps{
		Common: s.common(), Health: s.health, ToSessions: s.toSessions, Meter: s.room,
		Reserve: s.options.Disk.Reserve, Sweep: s.archiver.Sweep,
	}
}

// permissionDeps returns what the actor of a permission request needs.
func (s *System) permissionDeps() permission.Deps {
	return permission.Deps{Common: s.common(), Settings: s.settings.Load}
}

// poolDeps returns what the pool needs.
func (s *System) poolDeps() pool.Deps {
	return pool.Deps{
		Common: s.common(), Health: s.health, Settings: s.settings.Load, Stopped: func() bool { return s.fleet.Present().Stopped() },
		ToSession: s.toSession, ToSessions: s.toSessions,
		Publish:    func(q messages.SlotQueue) { s.slots.Store(&q) },
		FreeMemory: s.options.FreeMemory, Limits: s.limits.Present, KeepLimits: s.keepLimits,
	}
}

// dayDeps returns what the budget of the day needs.
func (s *System) dayDeps() daybudget.Deps {
	return daybudget.Deps{
		Common: s.common(), Ledger: s.day, Settings: s.settings.Load, Read: s.consumed, ToSession: s.toSession, ToSessions: s.toSessions,
		Known: func() { s.actors.Root.Send(s.orchestrations, orchestration.PlacesChanged{}) },
	}
}

// consumed returns the journaled consumption of all sessions.
func (s *System) consumed() ([]daybudget.Record, error) {
	records, _, err := s.options.Store.Sessions("", "", 0, 0)
	all := make([]daybudget.Record, 0, len(records))
	for i := range records {
		all = append(all, daybudget.Record{Session: records[i].ID, Budget: records[i].Budget})
	}
	for _, gone := range s.options.Store.Deleted() {
		all = append(all, daybudget.Record{Session: gone.ID, Budget: gone.Budget, Deleted: true})
	}
	return all, err
}

// retentionDeps returns what retention needs.
func (s *System) retentionDeps() retention.Deps {
	return retention.Deps{Common: s.common(), Store: s.options.Store, Sessions: s.sessions, Settings: s.settings.Load}
}

// journalDeps returns what the journal actor needs.
func (s *System) journalDeps() journal.Deps {
	return journal.Deps{
		Common: s.common(), Store: s.options.Store, Gather: s.options.Gather, Damage: &s.damage, Health: s.health,
		ToSessions: s.toSessions, Spare: s.room.Spare, Committed: s.searcher.Committed,
		WriteFailed: func(ctx actor.Context) { ctx.Send(s.disk, disk.LookNow{}) },
	}
}

// searchDeps returns what the actor of the search index needs.
func (s *System) searchDeps() search.Deps {
	return search.Deps{
		Common: s.common(), Searcher: s.searcher, Directory: s.options.SearchDirectory, Settings: s.settings.Load, DiskFull: s.room.Full,
	}
}

// backupsDeps returns what the backups actor needs.
func (s *System) backupsDeps() journal.BackupsDeps {
	return journal.BackupsDeps{Common: s.common(), Store: s.options.Store, Options: s.options.Backups, Health: &s.backup}
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
		Environment: s.planner.Environment, DirectoryRules: s.directories.Rules, EditRefused: s.checks.EditRefused, Guard: s.directories.Guard, EndStrays: strays.EndIn,
		SpentBelow: s.spentBelow, Seen: s.seen,
		Background: s.background, NoteVersion: s.versions.Add, KeepReport: s.keepReport, KeepAbilities: sidecar.LearnAbilities,
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

// audit queues an entry for the audit log.
func (s *System) audit(e messages.AuditEntry) {
	s.auditor.Do(func() any {
		s.options.Audit(e)
		return nil
	})
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

// keeper maintains the files of the journal.
func (s *System) keeper() journal.Keeper {
	return journal.Keeper{Store: s.options.Store, Damage: &s.damage, Now: s.now, Log: func() *zerolog.Logger { return s.logOf("journal") }}
}
