package orchestration

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"betcode/messages"
	"betcode/persistence/planlog"
)

// Bounds of the registry.
const (
	maxKept   = 500 // orchestrations; of the ended ones, the oldest are removed first
	pageSize  = 256 // events of one answer
	minPrefix = 4   // of an id, in a reference
)

// Registry has the journals of all orchestrations. It is safe for concurrent use. An actor alone writes to the journal of
// its orchestration, and reports the durable part; the registry answers queries from the files, on the caller's goroutine.
type Registry struct {
	dir string

	writing sync.Mutex // serialises the creation and removal of files; actors never take it
	mu      sync.Mutex
	known   map[messages.OrchestrationID]*entry
}

// entry is the part of a journal that is kept in memory.
type entry struct {
	view    messages.OrchestrationView // without steps
	digest  []byte
	durable int64         // durable bytes
	changed chan struct{} // closed and replaced when durable grows
}

// Open reads the directory, which it makes. The registry can be used after an error as well: the error lists journals that
// cannot be read, which are left alone.
func Open(dir string) (*Registry, error) {
	r := &Registry{dir: dir, known: map[messages.OrchestrationID]*entry{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return r, fmt.Errorf("make directory of orchestrations: %w", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return r, fmt.Errorf("read directory of orchestrations: %w", err)
	}
	var problems []error
	for _, f := range files {
		id, ours := planlog.IDOf(f.Name())
		if !ours {
			continue
		}
		s, durable, err := load(filepath.Join(dir, f.Name()), math.MaxInt64)
		if err == nil && s.ID != id {
			err = fmt.Errorf("%s has the journal of %s", f.Name(), s.ID)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		r.known[s.ID] = &entry{view: s.view(false), digest: s.Digest, durable: durable, changed: make(chan struct{})}
	}
	return r, errors.Join(problems...)
}

func (r *Registry) path(id messages.OrchestrationID) string {
	return planlog.Path(r.dir, id)
}

// unfinished returns the orchestrations that have not ended, oldest first.
func (r *Registry) unfinished() []messages.OrchestrationID {
	var ids []messages.OrchestrationID
	for _, v := range slices.Backward(r.List()) {
		if !v.State.Ended() {
			ids = append(ids, v.ID)
		}
	}
	return ids
}

// create writes the journal of a new orchestration, unless the id is known with the same digest.
func (r *Registry) create(h header) error {
	const op = "create orchestration"
	r.writing.Lock()
	defer r.writing.Unlock()
	if e := r.entry(h.ID); e != nil {
		if !bytes.Equal(e.digest, h.Digest) {
			return messages.Errorf(op, messages.AlreadyExists, "orchestration %s is another plan", h.ID).WithHint("Use a new id for each plan.")
		}
		return nil
	}
	if err := r.makeRoom(op); err != nil {
		return err
	}
	if err := planlog.Create(r.path(h.ID), h); err != nil {
		return (&messages.Error{Op: op, Kind: messages.Unavailable, Code: messages.StorageError, Err: err}).
			WithHint("Make room in the state directory, or make it writable: betcode doctor disk")
	}
	s := newState(h)
	size, err := os.Stat(r.path(h.ID))
	if err != nil {
		return messages.AsError(op, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[h.ID] = &entry{view: s.view(false), digest: h.Digest, durable: size.Size(), changed: make(chan struct{})}
	return nil
}

// entry returns the entry of an orchestration; nil if there is none.
func (r *Registry) entry(id messages.OrchestrationID) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[id]
}

// makeRoom removes the oldest orchestration that has ended if there are too many. The caller holds writing.
func (r *Registry) makeRoom(op string) error {
	all := r.List()
	if len(all) < maxKept {
		return nil
	}
	at := len(all) - 1
	for at >= 0 && !all[at].State.Ended() {
		at--
	}
	if at < 0 {
		return messages.Errorf(op, messages.Exhausted, "%d orchestrations have not ended, no more are kept", maxKept).
			WithHint("Wait, or cancel one: betcode orchestrate list")
	}
	if err := os.Remove(r.path(all[at].ID)); err != nil && !missing(err) {
		return messages.AsError(op, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, all[at].ID)
	return nil
}

// wrote records the durable part, and wakes watchers. It ignores a view that is ahead of the file: a watcher that reads up to the
// end of the file would take the orchestration for ended before it has got the last event.
func (r *Registry) wrote(view messages.OrchestrationView, durable int64, ahead bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.known[view.ID]; e != nil {
		if e.durable = durable; !ahead {
			e.view = view
		}
		close(e.changed)
		e.changed = make(chan struct{})
	}
}
