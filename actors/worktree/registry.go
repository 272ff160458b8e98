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
	"sync"
	"time"

	"betcode/actors/internal/git"
	"betcode/actors/internal/notes"
	"betcode/messages"
	"betcode/messages/visible"
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

	alone bool // no other worktree has the name; only in records that [Registry.find] and [Registry.all] return
}

// reference is how a person names the worktree in a command: by its name, or by the beginning of its id if another one may have
// the name.
func (r record) reference() string {
	if r.alone {
		return visible.ShellWord(r.Name)
	}
	return messages.ShortID(r.ID)
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
	named := map[string]int{}
	for _, rec := range found {
		named[rec.Name]++
	}
	for i := range found {
		found[i].alone = named[found[i].Name] == 1
	}
	return slices.DeleteFunc(found, func(rec record) bool { return common != "" && rec.Common != common })
}

// Empty reports whether there are no worktrees.
func (r *Registry) Empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.records) == 0
}
