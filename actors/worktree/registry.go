package worktree

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"betcode/actors/internal/git"
	"betcode/actors/internal/notes"
	"betcode/messages"
)

// record is the stored state of a worktree, in a file.
type record struct {
	ID         string                 `json:"id"`
	Name       string                 `json:"name"`
	Path       string                 `json:"path"`
	Branch     string                 `json:"branch"`
	Common     string                 `json:"common"` // the common git directory
	Main       string                 `json:"main"`   // the main working tree
	State      messages.WorktreeState `json:"state"`
	Digest     []byte                 `json:"digest,omitempty"` // of the request that made it, if its key is the id
	Commit     string                 `json:"commit"`           // the commit of its start
	NewBranch  bool                   `json:"new_branch,omitempty"`
	Made       string                 `json:"made,omitempty"` // identity of the directory that was made
	Forced     bool                   `json:"forced,omitempty"`
	Retired    bool                   `json:"retired,omitempty"` // the daemon removes it by itself
	CreatedAt  time.Time              `json:"created_at"`
	SwitchedTo time.Time              `json:"switched_to,omitzero"`
	Setup      messages.WorktreeSetup `json:"setup,omitzero"`
	SetupRun   string                 `json:"setup_run,omitempty"` // token of the last setup that began
	SetupKey   string                 `json:"setup_key,omitempty"` // idempotency key of the request that began it; empty = none
	Leases     leases                 `json:"leases,omitempty"`
}

// leftover describes what a creation may have left.
func (r record) leftover() git.Leftover {
	return git.Leftover{
		Common: r.Common, Path: r.Path, Branch: r.Branch, Commit: r.Commit, Created: r.NewBranch, Made: r.Made, Began: r.CreatedAt,
	}
}

// state returns the state, which is stale if the directory is no worktree any more.
func (r record) state() messages.WorktreeState {
	if _, err := os.Lstat(filepath.Join(r.Path, ".git")); r.State == messages.WorktreeReady && errors.Is(err, fs.ErrNotExist) {
		return messages.WorktreeStale
	}
	return r.State
}

// maxRecords bounds the number of worktrees.
const maxRecords = 10000

// Registry has the records of all worktrees. Any goroutine may read it; only the actors of this package change it.
type Registry struct {
	dir    string
	queue  queue // of callers that wait for leases
	setups setups
	ledger ledger

	writing    sync.Mutex // serialises changes
	mu         sync.Mutex
	records    map[string]record
	admissions admissions
	checked    map[string]bool // repositories whose leases were checked
	merging    []string        // repositories with merges that an earlier daemon has begun
}

// Open reads the records in a directory, which it creates. Records that cannot be read are joined into the error; their files stay.
func Open(dir string) (*Registry, error) {
	records, err := load(dir, suffix, func(id string, rec record) error {
		if rec.ID != id || !filepath.IsAbs(rec.Path) || !filepath.IsAbs(rec.Common) {
			return errors.New("it is not a record of a worktree")
		}
		return nil
	})
	r := &Registry{dir: dir, records: records, checked: map[string]bool{}, ledger: ledger{dir: dir}}
	err = errors.Join(err, r.ledger.open(time.Now()))
	begun, unread := r.intents("")
	for _, m := range begun {
		r.merging = append(r.merging, m.Common)
	}
	return r, errors.Join(err, unread, removeScripts(dir))
}

// update changes a record, if it still exists, and returns it.
func (r *Registry) update(id string, change func(*record)) (record, error) {
	rec, err := r.change(id, func(rec *record) error {
		change(rec)
		return nil
	})
	if messages.KindOf(err) == messages.NotFound {
		err = nil
	}
	return rec, err
}

// change changes a record unless the change is refused, and returns it. For a removed record it returns [messages.NotFound].
func (r *Registry) change(id string, change func(*record) error) (record, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	rec, known := r.records[id]
	r.mu.Unlock()
	if !known {
		return rec, notFound("change worktree", id)
	}
	if err := change(&rec); err != nil {
		return rec, err
	}
	return rec, r.write(rec)
}

// put makes a record durable.
func (r *Registry) put(rec record) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	return r.write(rec)
}

func (r *Registry) write(rec record) error {
	r.mu.Lock()
	_, known := r.records[rec.ID]
	full := !known && len(r.records) >= maxRecords
	r.mu.Unlock()
	if full {
		return messages.Errorf("keep worktree", messages.Exhausted, "the daemon keeps %d worktrees, no more", maxRecords).
			WithHint("Remove some: betcode worktree remove")
	}
	content, err := json.Marshal(rec)
	if err == nil {
		err = notes.Write(filepath.Join(r.dir, rec.ID+suffix), content)
	}
	if err != nil {
		return fmt.Errorf("write record of worktree: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.records[rec.ID] = rec
	return nil
}

// drop removes a record.
func (r *Registry) drop(id string) error {
	defer r.queue.wake(id) // callers that wait for the worktree find that it is removed
	r.writing.Lock()
	defer r.writing.Unlock()
	if err := os.Remove(filepath.Join(r.dir, id+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove record of worktree: %w", err)
	}
	_ = os.Remove(filepath.Join(r.dir, id+".lock")) // of its setup, which has ended
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.records, id)
	return nil
}

// all returns the records of a repository, oldest first; an empty common means of all.
func (r *Registry) all(common string) []record {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := slices.SortedFunc(maps.Values(r.records), func(a, b record) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return slices.DeleteFunc(found, func(rec record) bool { return common != "" && rec.Common != common })
}

// Empty reports whether there are no worktrees.
func (r *Registry) Empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.records) == 0
}

// leastPrefix is the shortest beginning of an id that names a worktree.
const leastPrefix = 4

// find returns the record that a reference names: an id, the beginning of one, or a name.
func (r *Registry) find(op, reference string) (record, error) {
	all := r.all("")
	var found []record
	for _, match := range []func(record) bool{
		func(rec record) bool { return rec.ID == reference },
		func(rec record) bool { return rec.Name == reference },
		func(rec record) bool { return len(reference) >= leastPrefix && strings.HasPrefix(rec.ID, reference) },
	} {
		for _, rec := range all {
			if match(rec) {
				found = append(found, rec)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return record{}, notFound(op, reference)
	}
	return record{}, messages.Errorf(op, messages.Invalid, "%d worktrees are called %q", len(found), clip(reference)).
		WithHint("Use the id, as 'betcode worktree list --all' shows it.")
}

func notFound(op, reference string) *messages.Error {
	return messages.Errorf(op, messages.NotFound, "no worktree is called %q", clip(reference)).WithCode(messages.WorktreeNotFound).
		With("worktree_id", clip(reference)).WithHint("'betcode worktree list' shows them.")
}

// clip shortens a caller's text for an error.
func clip(text string) string {
	if len(text) > 100 {
		return strings.ToValidUTF8(text[:100], "") + "…"
	}
	return text
}

// Repository returns the repository of the worktree that a reference names.
func (r *Registry) Repository(op, reference string) (id, common string, err error) {
	rec, err := r.find(op, reference)
	return rec.ID, rec.Common, err
}

// Place returns directory and branch of a worktree by its id; empty if it is not known.
func (r *Registry) Place(id string) (path, branch string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.records[id].Path, r.records[id].Branch
}

// Usable returns id and directory of a worktree in which a session can start.
func (r *Registry) Usable(op, reference string) (id, path string, err error) {
	rec, err := r.find(op, reference)
	if err != nil {
		return "", "", err
	}
	return rec.ID, rec.Path, rec.usable(op)
}

// Of returns the id of the worktree that a directory is in, with symbolic links resolved; empty if there is none that can be used.
func (r *Registry) Of(dir string) string {
	s := messages.SessionRecord{WorkingDirectory: dir}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		s.Resolved = resolved
	}
	for _, rec := range r.all("") {
		if dir != "" && rec.State == messages.WorktreeReady && worksIn(s, rec) {
			return rec.ID
		}
	}
	return ""
}

// usable refuses a worktree in which no session can work.
func (r record) usable(op string) error {
	switch state := r.state(); state {
	case messages.WorktreeReady:
		return nil
	case messages.WorktreeStale:
		return messages.Errorf(op, messages.WrongState, "worktree %s is stale: its directory %s has gone", r.Name, r.Path).
			With("worktree_id", r.ID).WithHint("Remove it: betcode worktree remove " + r.ID)
	default:
		return messages.Errorf(op, messages.WrongState, "worktree %s is not ready: it is %s", r.Name, state).
			With("worktree_id", r.ID).WithHint("Try again when the change has ended; 'betcode worktree show' tells.")
	}
}
