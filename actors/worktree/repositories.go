package worktree

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"betcode/actors/internal/notes"
	"betcode/messages"
	"betcode/messages/gitname"
	"betcode/messages/visible"
)

// repo is the stored state of a registered repository, in a file.
type repo struct {
	ID        string                      `json:"id"`
	Common    string                      `json:"common"`
	Main      string                      `json:"main"`
	Settings  messages.RepositorySettings `json:"settings"`
	CreatedAt time.Time                   `json:"created_at"`
}

// maxRegistered bounds the repositories that are registered.
const maxRegistered = 1000

// Repositories are the registered repositories. Any goroutine may read them; only the actors of this package change them.
type Repositories struct {
	dir string

	mu  sync.Mutex // held while a file is written as well, since changes are rare
	all map[string]repo
}

// OpenRepositories reads the records in a directory, which it creates. Records that cannot be read are joined into the error;
// their files stay.
func OpenRepositories(dir string) (*Repositories, error) {
	all, err := load(dir, suffix, func(id string, rec repo) error {
		if rec.ID != id || !filepath.IsAbs(rec.Main) || !filepath.IsAbs(rec.Common) {
			return errors.New("it is not a record of a repository")
		}
		return nil
	})
	return &Repositories{dir: dir, all: all}, err
}

// add registers a repository. The key of the request, if it has one, becomes the id. An empty name becomes that of the directory,
// with a number if another repository has it.
func (r *Repositories) add(now time.Time, m messages.RegisterRepository) (repo, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	main, s := m.Main, m.Settings
	if known, found := r.ofCommon(m.Common); found {
		return known, messages.Errorf(opRegister, messages.AlreadyExists, "repository %s is registered as %s", main, known.Settings.Name).
			With("repo_id", known.ID).With("path", known.Main).WithHint("Use it, or change it: betcode repo update " + visible.ShellWord(known.Settings.Name))
	}
	if _, used := r.all[m.Key]; used {
		return repo{}, messages.UsedKey(opRegister, m.Key)
	}
	if len(r.all) >= maxRegistered {
		return repo{}, messages.Errorf(opRegister, messages.Exhausted, "%d repositories are registered, no more", maxRegistered).WithHint("Remove some: betcode repo remove")
	}
	if s.Name == "" {
		base := strings.TrimSuffix(filepath.Base(main), ".git")
		if gitname.CheckWorktree(base) != nil {
			base = "repository"
		}
		s.Name = base
		for n := 2; r.named(s.Name, ""); n++ {
			s.Name = fmt.Sprintf("%s-%d", base, n)
		}
	}
	rec := repo{ID: cmp.Or(m.Key, uuid.NewString()), Common: m.Common, Main: main, Settings: s, CreatedAt: now}
	return rec, r.put(rec)
}

// change changes the settings of a repository.
func (r *Repositories) change(id string, change func(*messages.RepositorySettings)) (repo, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec, known := r.all[id]
	if !known {
		return rec, noRepository("change repository", id)
	}
	change(&rec.Settings)
	return rec, r.put(rec)
}

// put makes a record durable. The caller holds the lock.
func (r *Repositories) put(rec repo) error {
	if err := checkSettings(rec.Settings); err != nil {
		return err
	}
	if r.named(rec.Settings.Name, rec.ID) {
		return messages.Errorf(opRegister, messages.AlreadyExists, "another repository is called %s", rec.Settings.Name).WithHint("Give another name.")
	}
	content, err := json.Marshal(rec)
	if err == nil {
		err = notes.Write(filepath.Join(r.dir, rec.ID+suffix), content)
	}
	if err != nil {
		return fmt.Errorf("write record of repository: %w", err)
	}
	r.all[rec.ID] = rec
	return nil
}

func (r *Repositories) drop(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := os.Remove(filepath.Join(r.dir, id+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove record of repository: %w", err)
	}
	delete(r.all, id)
	return nil
}

// named reports whether a repository other than id has a name. The caller holds the lock.
func (r *Repositories) named(name, id string) bool {
	for _, rec := range r.all {
		if rec.Settings.Name == name && rec.ID != id {
			return true
		}
	}
	return false
}

// of returns the record with an id; false if there is none.
func (r *Repositories) of(id string) (repo, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec, known := r.all[id]
	return rec, known
}

func (r *Repositories) ofCommon(common string) (repo, bool) {
	for _, rec := range r.all {
		if rec.Common == common {
			return rec, true
		}
	}
	return repo{}, false
}

// settings returns the settings of the repository with a common git directory; the defaults if it is not registered.
func (r *Repositories) settings(common string) messages.RepositorySettings {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec, _ := r.ofCommon(common)
	return rec.Settings
}

// sorted returns all records, sorted by name.
func (r *Repositories) sorted() []repo {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]repo, 0, len(r.all))
	for _, rec := range r.all {
		all = append(all, rec)
	}
	slices.SortFunc(all, func(a, b repo) int {
		return cmp.Or(cmp.Compare(a.Settings.Name, b.Settings.Name), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// find returns the record that a reference names: an id, a name, a path, or the beginning of an id.
func (r *Repositories) find(op, reference string) (repo, error) {
	all := r.sorted()
	for _, match := range []func(repo) bool{
		func(rec repo) bool { return rec.ID == reference || rec.Settings.Name == reference },
		func(rec repo) bool { return rec.Main == filepath.Clean(reference) },
		func(rec repo) bool { return len(reference) >= leastPrefix && strings.HasPrefix(rec.ID, reference) },
	} {
		found := slices.DeleteFunc(slices.Clone(all), func(rec repo) bool { return !match(rec) })
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return repo{}, messages.Errorf(op, messages.Invalid, "%d repositories are called %q", len(found), clip(reference)).
				WithHint("Use the id, as 'betcode repo list' shows it.")
		}
	}
	return repo{}, noRepository(op, reference)
}

func noRepository(op, reference string) *messages.Error {
	return messages.Errorf(op, messages.NotFound, "no registered repository is called %q", clip(reference)).
		With("repo_id", clip(reference)).WithHint("'betcode repo list' shows them; 'betcode repo add' registers one.")
}

// Find returns id, common git directory and main working tree of the repository that a reference names.
func (r *Repositories) Find(op, reference string) (id, common, main string, err error) {
	rec, err := r.find(op, reference)
	return rec.ID, rec.Common, rec.Main, err
}

// Views returns the registered repositories as clients see them, sorted by name.
func (r *Repositories) Views(worktrees *Registry) []messages.RepositoryView {
	var views []messages.RepositoryView
	for _, rec := range r.sorted() {
		views = append(views, rec.view(worktrees))
	}
	return views
}

// View returns the repository that a reference names.
func (r *Repositories) View(reference string, worktrees *Registry) (messages.RepositoryView, error) {
	rec, err := r.find("show repository", reference)
	if err != nil {
		return messages.RepositoryView{}, err
	}
	return rec.view(worktrees), nil
}

// view returns a record as clients see it.
func (r repo) view(worktrees *Registry) messages.RepositoryView {
	v := messages.RepositoryView{ID: r.ID, Path: r.Main, Settings: r.Settings, CreatedAt: r.CreatedAt, LastActive: r.CreatedAt}
	for _, w := range worktrees.all(r.Common) {
		v.Worktrees++
		for _, at := range []time.Time{w.CreatedAt, w.SwitchedTo} {
			if at.After(v.LastActive) {
				v.LastActive = at
			}
		}
	}
	return v
}
