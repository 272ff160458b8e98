//go:build unix

package process

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"betcode/actors/internal/launch"
	"betcode/messages"
)

// Process is an agent process that runs, or has run while the Process was open. Its
// methods are safe for concurrent use.
type Process struct {
	dir             string
	token           string
	agent, launcher messages.ProcessIdentity

	handle         handle // of the agent
	launcherHandle handle // of the launcher; nil: it had already ended, or had not written its record
	stdin          *pipe

	cancel context.CancelFunc
	closed chan struct{} // closed when follow has ended
	gone   chan struct{} // closed when the agent has ended
	done   chan struct{} // closed when exit is known
	exit   messages.Exit // read only behind done
	once   sync.Once
}

// recordPatience is how long a launcher may take to record the end of its agent.
const recordPatience = 5 * time.Second

// follow returns the Process of an agent that was found alive, and owns both
// handles.
func follow(dir, token string, agent, launcher messages.ProcessIdentity, h handle) (*Process, error) {
	stdin, err := openPipe(filepath.Join(dir, launch.StdinFile))
	if err != nil {
		h.close()
		return nil, err
	}
	p := &Process{
		dir: dir, token: token, agent: agent, launcher: launcher, handle: h, stdin: stdin,
		closed: make(chan struct{}), gone: make(chan struct{}), done: make(chan struct{}),
	}
	if h, err := open(launcher, token); err == nil {
		p.launcherHandle = h
	} else if !lives(launcher) {
		reapLauncher(launcher) // it may be a child of ours
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go p.watch(ctx)
	return p, nil
}

// watch waits for the end of the agent and then of the launcher, which must have
// written its record by then.
func (p *Process) watch(ctx context.Context) {
	defer close(p.closed)
	if p.handle.wait(ctx) != nil {
		return
	}
	close(p.gone)
	if p.awaitRecord(ctx); ctx.Err() != nil {
		return
	}
	p.exit = exitOf(p.dir)
	close(p.done)
}

// awaitRecord waits a bounded time for the end of the launcher. The agent of a daemon that was killed may have been found by a search,
// before its launcher had written who it is: then only the lock shows that the launcher is there.
func (p *Process) awaitRecord(ctx context.Context) {
	if p.launcherHandle != nil {
		waitAndReap(ctx, p.launcherHandle)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, recordPatience)
	defer cancel()
	_ = awaitLauncher(ctx, p.dir) // the record may be missing all the same: the launcher was killed
}

// Identity returns the identity of the agent process.
func (p *Process) Identity() messages.ProcessIdentity { return p.agent }

// Launcher returns the identity of its launcher. It is empty if the launcher had not written its record.
func (p *Process) Launcher() messages.ProcessIdentity { return p.launcher }

// Wait waits for the agent to end and returns its exit. Exit.Known is false if the
// launcher was killed before it could record that. An error means that ctx ended or
// the Process was closed first: the agent may live.
func (p *Process) Wait(ctx context.Context) (messages.Exit, error) {
	const op = "wait for agent"
	select {
	case <-p.done:
		return p.exit, nil
	default:
	}
	select {
	case <-p.done:
		return p.exit, nil
	case <-ctx.Done():
		return messages.Exit{}, contextError(op, ctx)
	case <-p.closed:
	}
	select {
	case <-p.done:
		return p.exit, nil
	default:
		return messages.Exit{}, messages.Errorf(op, messages.Canceled, "closed")
	}
}

// Gone is closed when the agent has ended. [Process.Wait] then returns within a few seconds.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// Signal sends sig to the agent, and to no other process: if the agent has ended the error
// is of kind NotFound. Its descendants do not get the signal.
func (p *Process) Signal(sig unix.Signal) error {
	const op = "signal agent"
	switch err := p.handle.signal(sig); {
	case err == nil:
		return nil
	case errors.Is(err, unix.ESRCH):
		return messages.Errorf(op, messages.NotFound, "the process has ended")
	default:
		return &messages.Error{Op: op, Kind: messages.WrongState, Err: err}
	}
}

// Close releases every descriptor and ends the goroutine. The agent is not
// affected.
func (p *Process) Close() error {
	p.once.Do(func() {
		p.cancel()
		<-p.closed
		p.handle.close()
		if p.launcherHandle != nil {
			if !lives(p.launcher) { // killed meanwhile
				waitAndReap(context.Background(), p.launcherHandle)
			}
			p.launcherHandle.close()
		}
		p.stdin.close()
	})
	return nil
}

func contextError(op string, ctx context.Context) *messages.Error { //nolint:revive // the context is the subject here
	kind := messages.Canceled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind = messages.DeadlineExceeded
	}
	return &messages.Error{Op: op, Kind: kind, Err: ctx.Err()}
}
