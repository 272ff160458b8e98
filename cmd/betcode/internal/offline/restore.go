package offline

import (
	"context"
	"errors"
	"fmt"
	"os"

	"betcode/actors/orphans"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/messages"
	"betcode/persistence"
)

// RestoreOptions name the backup and the target of a restore.
type RestoreOptions struct {
	Backup    string                 // directory of the backup
	State     string                 // state directory that gets its journal; made if missing
	Force     bool                   // move an existing journal aside
	EndAgents bool                   // end agents of the state directory that still run
	Damaged   bool                   // restore what can be read of a damaged backup
	Ended     func(run fmt.Stringer) // called for each agent that was ended
}

// Restore creates the journal of a state directory from a backup.
func Restore(ctx context.Context, o RestoreOptions) (Restored, error) {
	const op = "restore journal"
	if err := os.MkdirAll(o.State, 0o700); err != nil {
		return Restored{}, err
	}
	release, err := statedir.TryLock(op, o.State)
	if err != nil {
		return Restored{}, err
	}
	defer release()
	if err := endLiveRuns(ctx, op, o); err != nil {
		return Restored{}, err
	}
	done, err := persistence.Restore(ctx, persistence.RestoreOptions{
		Backup: o.Backup, Directory: statedir.Journal(o.State), RunsDirectory: statedir.Runs(o.State),
		PlansDirectory: statedir.Orchestrations(o.State), Replace: o.Force, Damaged: o.Damaged,
	})
	if full := (*messages.Error)(nil); errors.As(err, &full) && full.Kind == messages.AlreadyExists {
		return Restored{}, full.WithHint("add --force to move it aside, or name another state directory with --state-dir")
	}
	return Restored{done}, err
}

// endLiveRuns ends agents that run without a daemon, or refuses. After a restore no session would own them, and the next
// message would start a second agent on their conversation.
func endLiveRuns(ctx context.Context, op string, o RestoreOptions) error {
	alive := orphans.Find(statedir.Runs(o.State))
	if len(alive) > 0 && !o.EndAgents {
		return messages.Errorf(op, messages.WrongState, "agents of this state directory still run: %d, %s among them (pids %s)",
			len(alive), alive[0], orphans.PIDs(alive)).
			WithHint("add --end-agents to end them; their own transcripts have what they did")
	}
	for _, run := range alive {
		if err := run.End(ctx); err != nil {
			return err
		}
		o.Ended(run)
	}
	return nil
}
