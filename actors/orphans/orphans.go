package orphans

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
	"betcode/actors/internal/process"
	"betcode/messages"
)

// patience bounds the time to end all orphans.
const patience = 30 * time.Second

// Run is a live agent, found by its run directory.
type Run struct {
	Session messages.SessionID
	Run     string // the name of its directory
	PID     int

	orphan process.Orphan
}

// String describes the agent for people.
func (r Run) String() string {
	return fmt.Sprintf("run %s of session %s (pid %d)", r.Run, r.Session, r.PID)
}

// End kills the agent and its descendants, and waits for their end.
func (r Run) End(ctx context.Context) error {
	if err := r.orphan.End(ctx); err != nil {
		return fmt.Errorf("end %s: %w", r, err)
	}
	return nil
}

// Find finds the live agents of a state directory, whatever its journal has:
// below its run directories, and below those that a restore has moved aside.
func Find(runs string) []Run {
	aside, err := filepath.Glob(runs + ".replaced-*")
	if err != nil {
		aside = nil // a pattern in the path: nothing was moved aside under it
	}
	var all []Run
	for _, directory := range append([]string{runs}, aside...) {
		sessions, err := os.ReadDir(directory)
		if err != nil {
			continue // no such directory
		}
		for _, session := range sessions {
			for _, orphan := range process.FindOrphans(filepath.Join(directory, session.Name())) {
				all = append(all, Run{
					Session: messages.SessionID(session.Name()), Run: filepath.Base(orphan.Directory), PID: orphan.Agent.PID, orphan: orphan,
				})
			}
		}
	}
	return all
}

// End ends the live agents that do not run according to the journal: of a restored
// journal, of deleted sessions, and of sessions that cannot be loaded. Otherwise the
// next message would start a second agent on the conversation. It is called before
// the actor system is started; an agent that cannot be ended is an error.
func End(runs string, store interface {
	Load(messages.SessionID) (messages.SessionLoaded, error)
}, log *zerolog.Logger,
) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var failed []error
	for _, run := range Find(runs) {
		loaded, err := store.Load(run.Session)
		if err == nil && loaded.Found && loaded.Run != nil && loaded.Run.State != messages.RunFinished && run.orphan.Is(loaded.Run) {
			continue // its session adopts it
		}
		if err := run.End(ctx); err != nil {
			failed = append(failed, err)
			continue
		}
		log.Warn().Str(act.LogSession, string(run.Session)).Str("run", run.Run).Int("pid", run.PID).
			Msg("agent ended: the journal has no such run")
	}
	if len(failed) > 0 {
		return (&messages.Error{Op: "end agents", Kind: messages.Unavailable, Err: errors.Join(failed...)}).
			WithHint("the journal does not know these agents: end them yourself (kill -9 PID), then start the daemon again")
	}
	return nil
}

// PIDs lists the processes of live runs, for texts to people.
func PIDs(runs []Run) string {
	pids := make([]string, len(runs))
	for i, r := range runs {
		pids[i] = strconv.Itoa(r.PID)
	}
	return strings.Join(pids, ", ")
}

// EndIn ends every live agent below a directory of runs, and returns how many it has ended.
func EndIn(directory string) (ended int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, orphan := range process.FindOrphans(directory) {
		if failed := orphan.End(ctx); failed != nil {
			err = failed
			continue
		}
		ended++
	}
	return ended, err
}
