package journal

import (
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/messages"
)

// BackupsDeps is what the backups actor needs of the system.
type BackupsDeps struct {
	act.Common

	Store   Upkeep
	Options BackupOptions
	Health  *BackupHealth
}

const (
	backupFirst = 10 * time.Second // after a start at the earliest
	backupRetry = 10 * time.Minute // after a failure, unless the next is due before
)

// backups copies the journal at intervals, while it is used, and removes its oldest copies.
// A copy gets its name when it is complete and synced.
//
// What survives a restart: nothing. The name of the newest copy has the time when it was made.
type backups struct {
	deps   BackupsDeps
	worker *act.Worker
	timer  act.Timer
	stop   context.CancelFunc
}

// backupDue is sent when the next backup is due; backupMade is its result. next is the time until the next one.
type (
	backupDue  struct{}
	backupSeen struct{ next time.Duration } // the result of nextBackup at the start
	backupMade struct {
		backup messages.JournalBackup
		next   time.Duration
		err    error
	}
)

// BackupsProps describes the backups actor.
func BackupsProps(d BackupsDeps) *actor.Props {
	return d.Props("backups", func() actor.Actor { return &backups{deps: d} })
}

// Receive implements actor.Actor.
func (b *backups) Receive(ctx actor.Context) {
	o := b.deps.Options
	switch m := act.Unwrap(b, ctx.Message()).(type) {
	case *actor.Started:
		b.worker = act.NewWorker(ctx, b.deps.Workers, b)
		if o.Every > 0 {
			now := b.deps.Now()
			b.worker.Do(func() any { return backupSeen{nextBackup(o, now)} })
		}
	case *actor.Stopping, *actor.Restarting:
		if b.stop != nil {
			b.stop()
		}
		b.worker.Close(nil)
		b.timer.Stop()
	case backupSeen:
		b.schedule(ctx, max(m.next, backupFirst))
	case backupDue:
		var work context.Context
		work, b.stop = context.WithCancel(context.Background())
		store, now := b.deps.Store, b.deps.Now()
		b.worker.Do(func() any {
			made, err := makeBackup(work, store, o, now)
			b.deps.Health.Look(o)
			return backupMade{made, nextBackup(o, b.deps.Now()), err}
		})
	case backupMade:
		b.stop()
		b.deps.Health.note(b.deps.Now(), m.err)
		next := m.next
		if m.err != nil {
			next = min(o.Every, backupRetry)
			b.deps.Log("backups").Error().Err(m.err).Dur("again_in", next).Msg("journal not backed up")
		} else {
			b.deps.Log("backups").Info().Str("path", m.backup.Path).Int64("bytes", m.backup.Bytes).
				Int64("linked_bytes", m.backup.LinkedBytes).Dur("paused", m.backup.Paused).Msg("journal backed up")
		}
		b.schedule(ctx, max(next, time.Second))
	}
}

func (b *backups) schedule(ctx actor.Context, d time.Duration) {
	b.timer.Set(ctx, d, backupDue{})
}
