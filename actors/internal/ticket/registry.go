package ticket

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"betcode/messages"
)

// Deps is what a [Registry] needs.
type Deps struct {
	Runs string // the directory with the run directories of all sessions

	Identity func(pid int) (messages.ProcessIdentity, error)
	Lives    func(messages.ProcessIdentity) bool
	Below    func(directory string, id messages.ProcessIdentity) (bool, error) // whether it descends from the live agent of a run
}

// Registry has the tickets of the live runs. It is safe for concurrent use.
type Registry struct {
	deps Deps

	mu      sync.Mutex
	tickets map[Run]*ticket
}

// Run identifies a run.
type Run struct {
	Session messages.SessionID
	Number  messages.RunNumber
}

// ticket is the ticket of a run.
type ticket struct {
	entry
	resolved chan struct{} // closed when the ticket is taken or void
	alarmed  bool
}

func (p *ticket) taken() bool { return p.Holder.PID != 0 }

// RefusedError is the reason why a ticket was refused.
type RefusedError struct {
	Run   Run    // zero if the text is no ticket
	Why   string // for people
	Alarm bool   // another process than the agent's server has presented it, for the first time in this run
}

// Error implements error.
func (r *RefusedError) Error() string { return r.Why }

// New returns a registry.
func New(d Deps) *Registry { return &Registry{deps: d, tickets: map[Run]*ticket{}} }

// Issue makes the ticket of a run, in place of an earlier one. The run directory must exist.
func (g *Registry) Issue(r Run) (string, error) {
	secret := make([]byte, secretSize)
	if _, err := rand.Read(secret); err != nil {
		return "", err
	}
	text := hex.EncodeToString(secret)
	p := &ticket{entry: entry{Format: format, Hash: hash(text)}, resolved: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.write(r, p); err != nil {
		return "", err
	}
	g.tickets[r] = p
	return string(r.Session) + "." + strconv.FormatUint(uint64(r.Number), 10) + "." + text, nil
}

// Admit returns the run whose fleet server a process is. An error is a [*RefusedError], or means that the run could not be found out.
func (g *Registry) Admit(ticket string, pid int) (Run, error) {
	r, secret, ok := parse(ticket)
	if !ok {
		return Run{}, &RefusedError{Why: "this is no ticket of a run"}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p, err := g.ticket(r)
	if err != nil {
		return Run{}, err
	}
	if p == nil || subtle.ConstantTimeCompare([]byte(p.Hash), []byte(hash(secret))) != 1 {
		return Run{}, &RefusedError{Why: "no run has this ticket"}
	}
	caller, err := g.deps.Identity(pid)
	if err != nil {
		return Run{}, err
	}
	if p.taken() && p.Holder == caller {
		return r, nil
	}
	return r, g.take(r, p, caller)
}

// take binds a ticket to the process that presents it. The caller holds mu.
func (g *Registry) take(r Run, p *ticket, caller messages.ProcessIdentity) error {
	switch {
	case p.taken() && !g.deps.Lives(p.Holder):
		return &RefusedError{Run: r, Why: "the fleet server of this run has ended, and its ticket is not given twice"}
	case p.taken():
		return g.alarm(r, p, "the ticket of this run belongs to another process")
	case p.Void:
		return g.alarm(r, p, "the ticket of this run was not used before its agent's first turn, and is void")
	}
	below, err := g.deps.Below(g.directory(r), caller)
	if err != nil {
		return err
	}
	if !below {
		return g.alarm(r, p, "the ticket of this run is for a process that its agent has started")
	}
	p.Holder = caller
	if err := g.write(r, p); err != nil {
		p.Holder = messages.ProcessIdentity{}
		return err
	}
	close(p.resolved)
	return nil
}

// alarm refuses a process. The first refusal of a run is an alarm.
func (g *Registry) alarm(r Run, p *ticket, why string) error {
	first := !p.alarmed
	p.alarmed = true
	return &RefusedError{Run: r, Why: why, Alarm: first}
}

// Await waits until the ticket of a run is taken, at most patience, and makes it void if it is not. After that no process takes
// it. It returns at once for a run without a ticket. An error means that a later daemon may admit another process.
func (g *Registry) Await(ctx context.Context, r Run, patience time.Duration) error {
	p := g.open(r)
	if p == nil {
		return nil
	}
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-p.resolved:
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if p.taken() || p.Void {
		return nil
	}
	p.Void = true
	close(p.resolved)
	if g.write(r, p) == nil {
		return nil
	}
	return g.remove(r) // without the file no process is admitted
}

// Drop removes the ticket of a run that has ended.
func (g *Registry) Drop(r Run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.tickets, r)
	_ = g.remove(r) // best effort: without an agent no process descends from it
}

func (g *Registry) remove(r Run) error {
	if err := os.Remove(filepath.Join(g.directory(r), File)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
