package actors

import (
	"path/filepath"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"betcode/actors/daybudget"
	"betcode/actors/disk"
	"betcode/actors/health"
	"betcode/actors/internal/act"
	"betcode/actors/internal/checks"
	"betcode/actors/internal/notify"
	"betcode/actors/internal/queries"
	"betcode/actors/journal"
	"betcode/actors/notices"
	"betcode/actors/orchestration"
	"betcode/actors/pool"
	"betcode/actors/retention"
	"betcode/actors/search"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// The dependencies that the system gives to each actor.

// common returns the dependencies of every actor.
func (s *System) common() act.Common {
	return act.Common{Tree: s.tree, Policy: s.policy, Workers: &s.workers, Now: s.now, Log: s.logOf}
}

// healthDeps returns what the health actor needs.
func (s *System) healthDeps() health.Deps {
	now := s.settings.Load()
	return health.Deps{
		Common: s.common(), Journal: s.journal, MemoryLimit: s.options.MemoryLimit, Metadata: s.metadata, Others: s.components,
		Pool: health.Pool{Limit: now.MaxAgents, Queue: now.MaxWaiting},
	}
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

// diskDeps returns what the disk actor needs.
func (s *System) diskDeps() disk.Deps {
	return disk.Deps{
		Common: s.common(), Health: s.health, ToSessions: s.toSessions, Meter: s.room,
		Reserve: s.options.Disk.Reserve, Sweep: s.archiver.Sweep,
	}
}

// poolDeps returns what the pool needs.
func (s *System) poolDeps() pool.Deps {
	return pool.Deps{
		Common: s.common(), Health: s.health, Settings: s.settings.Load, Stopped: func() bool { return s.fleet.Present().Stopped() },
		ToSession: s.toSession, ToSessions: s.toSessions,
		Publish:    func(q messages.SlotQueue) { s.slots.Store(&q) },
		FreeMemory: s.options.FreeMemory, Limits: s.limits.Present, SaveLimits: s.keepLimits,
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

// audit queues an entry for the audit log.
func (s *System) audit(e messages.AuditEntry) {
	s.auditor.Do(func() any {
		s.options.Audit(e)
		return nil
	})
}

// maintainer maintains the files of the journal.
func (s *System) maintainer() journal.Maintainer {
	return journal.Maintainer{Store: s.options.Store, Damage: &s.damage, Now: s.now, Log: func() *zerolog.Logger { return s.logOf("journal") }}
}
