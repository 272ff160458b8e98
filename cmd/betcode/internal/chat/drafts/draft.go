package drafts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"betcode/messages/regular"
)

// maxDrafts is how many drafts of ended terminals a directory keeps.
const maxDrafts = 32

// syncAfter is how long no key must come before a draft is synced to the disk.
const syncAfter = time.Second

// Saved has the text that a terminal has not delivered.
type Saved struct {
	Session     string    `json:"session"`
	Text        string    `json:"text,omitempty"`        // in the editor
	Unconfirmed []Message `json:"unconfirmed,omitempty"` // sent, the oldest first
}

// Message is a message that the daemon has not confirmed.
type Message struct {
	Key  string `json:"key"` // idempotency key
	Text string `json:"text"`
}

func (s Saved) empty() bool { return s.Text == "" && len(s.Unconfirmed) == 0 }

// Draft is the draft of this terminal. Its goroutine writes the file; [Draft.Close] ends it.
type Draft struct {
	path string
	lock *flock.Flock

	mu     sync.Mutex
	next   *Saved // not written yet
	wake   chan struct{}
	closed bool
	done   chan struct{}
	err    error // of the first write that failed
}

// Draft locks the draft of a session for this terminal. With exact it returns the draft that a former terminal left for this
// session, otherwise the newest draft of an ended terminal in the working directory.
func (s *Store) Draft(project, session string, exact bool) (*Draft, Saved, error) {
	dir := filepath.Join(s.dir, "drafts", hash(project))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, Saved{}, fmt.Errorf("create directory of drafts: %w", err)
	}
	d := &Draft{wake: make(chan struct{}, 1), done: make(chan struct{})}
	for n := 0; d.lock == nil; n++ {
		name := fileName(session)
		if n > 0 {
			name += "-" + strconv.Itoa(n) // another terminal is attached to the same session
		}
		lock, err := tryLock(filepath.Join(dir, name))
		if err != nil {
			return nil, Saved{}, fmt.Errorf("lock draft: %w", err)
		}
		d.path, d.lock = filepath.Join(dir, name+".json"), lock
	}
	saved := read(d.path)
	if !exact && saved.empty() {
		saved = adopt(dir, d.path)
	}
	if !saved.empty() { // it has this terminal's name before the former file goes
		_ = replace(d.path, encode(saved), false)
	}
	go d.run()
	return d, saved, nil
}

// fileName returns a session's id, or its hash if it could not be a file's name.
func fileName(session string) string {
	strange := func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	if session == "" || len(session) > 64 || strings.ContainsFunc(session, strange) {
		return hash(session)
	}
	return session
}

// newLock returns the lock of a file. A pipe in its place does not block the terminal, and no file is created through a link.
func newLock(name string) *flock.Flock {
	return flock.New(name+".lock", flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDONLY|regular.NoWait|regular.NoLink))
}

// tryLock returns nil if another process has the lock.
func tryLock(name string) (*flock.Flock, error) {
	lock := newLock(name)
	locked, err := lock.TryLock()
	if !locked {
		_ = lock.Close() // nothing was written
		return nil, err
	}
	return lock, nil
}

// adopt takes the newest draft whose terminal has ended, and removes drafts above the bound.
func adopt(dir, own string) (taken Saved) {
	names, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	age := func(name string) time.Time {
		info, err := os.Stat(name)
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(age(b).Compare(age(a)), strings.Compare(a, b)) })
	for i, name := range names {
		if name == own {
			continue
		}
		lock, err := tryLock(strings.TrimSuffix(name, ".json"))
		if lock == nil || err != nil {
			continue // its terminal lives
		}
		saved := read(name)
		switch {
		case taken.empty() && !saved.empty():
			taken = saved
			_ = replace(own, encode(saved), false)
			remove(name)
		case saved.empty() || i >= maxDrafts:
			remove(name)
		}
		_ = lock.Close()
	}
	return taken
}

func remove(name string) {
	_ = os.Remove(name)
	_ = os.Remove(strings.TrimSuffix(name, ".json") + ".lock")
}

func read(path string) (s Saved) {
	content, err := regular.Read(path, maxFile)
	if err != nil || json.Unmarshal(content, &s) != nil {
		return Saved{}
	}
	return s
}

func encode(s Saved) []byte {
	content, _ := json.Marshal(s) // it has strings only
	return content
}

// Save passes a draft to the goroutine, which writes the newest.
func (d *Draft) Save(s Saved) {
	d.mu.Lock()
	d.next = &s
	d.mu.Unlock()
	d.signal()
}

func (d *Draft) signal() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Close writes the last saved draft and unlocks it. It returns the error of the first write that failed.
func (d *Draft) Close() error {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.signal()
	<-d.done
	if read(d.path).empty() {
		remove(d.path)
	}
	_ = d.lock.Close()
	return d.err
}

// run writes drafts until Close is called.
func (d *Draft) run() {
	defer close(d.done)
	var last Saved
	idle := time.NewTimer(syncAfter)
	defer idle.Stop()
	unsynced := false
	for {
		synced := false
		select {
		case <-d.wake:
		case <-idle.C:
			synced = true
		}
		d.mu.Lock()
		next, closed := d.next, d.closed
		d.next = nil
		d.mu.Unlock()
		if next != nil {
			last, unsynced = *next, true
			idle.Reset(syncAfter)
		}
		if next != nil || unsynced && (synced || closed) {
			unsynced = !synced && !closed
			d.note(d.write(last, !unsynced))
		}
		if closed {
			return
		}
	}
}

func (d *Draft) note(err error) {
	if d.err == nil && err != nil {
		d.err = fmt.Errorf("write draft: %w", err)
	}
}

func (d *Draft) write(s Saved, sync bool) error {
	if s.empty() {
		if err := os.Remove(d.path); !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	return replace(d.path, encode(s), sync)
}
