package orchestration

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// List returns all orchestrations, newest first, without their steps.
func (r *Registry) List() []messages.OrchestrationView {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []messages.OrchestrationView
	for _, e := range r.known {
		all = append(all, e.view)
	}
	slices.SortFunc(all, func(a, b messages.OrchestrationView) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return all
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

// Resolve returns the id that a reference names: the id itself, or its beginning.
func (r *Registry) Resolve(op string, reference messages.OrchestrationID) (messages.OrchestrationID, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[reference] != nil {
		return reference, nil
	}
	var found []messages.OrchestrationID
	for id := range r.known {
		if len(reference) >= minPrefix && strings.HasPrefix(string(id), string(reference)) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", messages.Errorf(op, messages.NotFound, "there is no orchestration %q", bounded(string(reference), 100)).
			WithHint("'betcode orchestrate list' shows them.")
	}
	return "", messages.Errorf(op, messages.Invalid, "%d orchestrations begin with %q", len(found), reference).WithHint("Give more of the id.")
}

// durable returns how many bytes of a journal may be read, and a channel that is closed when there are more.
func (r *Registry) durable(id messages.OrchestrationID) (int64, <-chan struct{}, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.known[id]; e != nil {
		return e.durable, e.changed, e.view.State.Ended()
	}
	return 0, nil, false
}

// View returns an orchestration with its steps.
func (r *Registry) View(op string, reference messages.OrchestrationID) (messages.OrchestrationView, error) {
	id, err := r.Resolve(op, reference)
	if err != nil {
		return messages.OrchestrationView{}, err
	}
	most, _, _ := r.durable(id)
	s, _, err := load(r.path(id), most)
	if err != nil {
		return messages.OrchestrationView{}, unreadable(op, err)
	}
	return s.view(true), nil
}

// Read returns the next events behind a cursor.
func (r *Registry) Read(reference messages.OrchestrationID, from messages.OrchestrationCursor) (messages.OrchestrationPage, error) {
	const op = "watch orchestration"
	id, err := r.Resolve(op, reference)
	if err != nil {
		return messages.OrchestrationPage{}, err
	}
	most, changed, over := r.durable(id)
	page := messages.OrchestrationPage{ID: id, Changed: changed}
	var journal *planlog.Reader
	if from.Offset > 0 {
		journal, err = planlog.OpenAt(r.path(id), most, from)
	} else {
		var h header
		journal, h, err = open(r.path(id), most)
		page.Total, page.Titles = len(h.Plan.Steps), make(map[string]string, len(h.Plan.Steps))
		for _, step := range h.Plan.Steps {
			page.Titles[step.ID] = step.Title()
		}
	}
	if err != nil {
		return messages.OrchestrationPage{}, unreadable(op, err)
	}
	defer journal.Close()
	for len(page.Events) < pageSize {
		e, err := journal.Event()
		if errors.Is(err, io.EOF) {
			page.Ended = over
			break
		}
		if err != nil {
			return messages.OrchestrationPage{}, unreadable(op, err)
		}
		if e.Seq > from.Seq {
			page.Events = append(page.Events, e)
		}
	}
	if from.Seq > journal.Cursor().Seq {
		return messages.OrchestrationPage{}, messages.Errorf(op, messages.OutOfRange, "the newest event is %d, not %d", journal.Cursor().Seq, from.Seq).
			WithHint("Watch from 0.")
	}
	page.Next = journal.Cursor()
	return page, nil
}

func unreadable(op string, err error) *messages.Error {
	return (&messages.Error{Op: op, Kind: messages.DataLoss, Err: err}).WithHint("Begin another orchestration; its sessions are whole: betcode session list")
}
