package ticket

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"betcode/actors/internal/notes"
	"betcode/messages"
)

// File is the name of the file in a run directory.
const File = "fleet.json"

const (
	format     = 1
	secretSize = 32 // bytes
	maxFile    = 4 << 10
)

// Deps is what a [Book] needs.
type Deps struct {
	Runs string // the directory with the run directories of all sessions

	Identity func(pid int) (messages.ProcessIdentity, error)
	Lives    func(messages.ProcessIdentity) bool
	Below    func(directory string, id messages.ProcessIdentity) (bool, error) // whether it descends from the live agent of a run
}

// Book has the tickets of the live runs. It is safe for concurrent use.
type Book struct {
	deps Deps

	mu    sync.Mutex
	pages map[Run]*page
}

// Run identifies a run.
type Run struct {
	Session messages.SessionID
	Number  messages.RunNumber
}

// page is the ticket of a run.
type page struct {
	entry
	settled chan struct{} // closed when the ticket is taken or void
	alarmed bool
}

// entry is the format of the file.
type entry struct {
	Format int                      `json:"format"`
	Hash   string                   `json:"ticket_sha256"` // hexadecimal
	Holder messages.ProcessIdentity `json:"holder"`        // zero = not taken
	Void   bool                     `json:"void"`          // no process may take it any more
}

func (p *page) taken() bool { return p.Holder.PID != 0 }

// RefusedError is the reason why a ticket was refused.
type RefusedError struct {
	Run   Run    // zero if the text is no ticket
	Why   string // for people
	Alarm bool   // another process than the agent's server has presented it, for the first time in this run
}

// Error implements error.
func (r *RefusedError) Error() string { return r.Why }

// New returns a book.
func New(d Deps) *Book { return &Book{deps: d, pages: map[Run]*page{}} }

// Issue makes the ticket of a run, in place of an earlier one. The run directory must exist.
func (b *Book) Issue(r Run) (string, error) {
	secret := make([]byte, secretSize)
	if _, err := rand.Read(secret); err != nil {
		return "", err
	}
	text := hex.EncodeToString(secret)
	p := &page{entry: entry{Format: format, Hash: hash(text)}, settled: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.write(r, p); err != nil {
		return "", err
	}
	b.pages[r] = p
	return string(r.Session) + "." + strconv.FormatUint(uint64(r.Number), 10) + "." + text, nil
}

// Admit returns the run whose fleet server a process is. An error is a [*RefusedError], or means that the run could not be found out.
func (b *Book) Admit(ticket string, pid int) (Run, error) {
	r, secret, ok := parse(ticket)
	if !ok {
		return Run{}, &RefusedError{Why: "this is no ticket of a run"}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p, err := b.page(r)
	if err != nil {
		return Run{}, err
	}
	if p == nil || subtle.ConstantTimeCompare([]byte(p.Hash), []byte(hash(secret))) != 1 {
		return Run{}, &RefusedError{Why: "no run has this ticket"}
	}
	caller, err := b.deps.Identity(pid)
	if err != nil {
		return Run{}, err
	}
	if p.taken() && p.Holder == caller {
		return r, nil
	}
	return r, b.take(r, p, caller)
}

// take binds a ticket to the process that presents it. The caller holds mu.
func (b *Book) take(r Run, p *page, caller messages.ProcessIdentity) error {
	switch {
	case p.taken() && !b.deps.Lives(p.Holder):
		return &RefusedError{Run: r, Why: "the fleet server of this run has ended, and its ticket is not given twice"}
	case p.taken():
		return b.alarm(r, p, "the ticket of this run belongs to another process")
	case p.Void:
		return b.alarm(r, p, "the ticket of this run was not used before its agent's first turn, and is void")
	}
	below, err := b.deps.Below(b.directory(r), caller)
	if err != nil {
		return err
	}
	if !below {
		return b.alarm(r, p, "the ticket of this run is for a process that its agent has started")
	}
	p.Holder = caller
	if err := b.write(r, p); err != nil {
		p.Holder = messages.ProcessIdentity{}
		return err
	}
	close(p.settled)
	return nil
}

// alarm refuses a process. The first refusal of a run is an alarm.
func (b *Book) alarm(r Run, p *page, why string) error {
	first := !p.alarmed
	p.alarmed = true
	return &RefusedError{Run: r, Why: why, Alarm: first}
}

// Settle waits until the ticket of a run is taken, at most patience, and makes it void if it is not. After that no process takes
// it. It returns at once for a run without a ticket. An error means that a later daemon may admit another process.
func (b *Book) Settle(ctx context.Context, r Run, patience time.Duration) error {
	p := b.open(r)
	if p == nil {
		return nil
	}
	if patience > 0 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-p.settled:
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.taken() || p.Void {
		return nil
	}
	p.Void = true
	close(p.settled)
	if b.write(r, p) == nil {
		return nil
	}
	return b.remove(r) // without the file no process is admitted
}

// open returns the ticket of a run, nil if it has none. A ticket whose file cannot be read is void.
func (b *Book) open(r Run) *page {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, err := b.page(r)
	if err != nil {
		p = &page{entry: entry{Void: true}, settled: make(chan struct{})}
		close(p.settled)
	}
	b.pages[r] = p
	return p
}

// Drop removes the ticket of a run that has ended.
func (b *Book) Drop(r Run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.pages, r)
	_ = b.remove(r) // best effort: without an agent no process descends from it
}

func (b *Book) remove(r Run) error {
	if err := os.Remove(filepath.Join(b.directory(r), File)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// page returns the ticket of a run, nil if it has none. The caller holds mu.
func (b *Book) page(r Run) (*page, error) {
	if p, known := b.pages[r]; known {
		return p, nil
	}
	path := filepath.Join(b.directory(r), File)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // most runs have none
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, messages.Errorf("read ticket", messages.DataLoss, "%s is not a small file", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &page{settled: make(chan struct{})}
	if err := json.Unmarshal(text, &p.entry); err != nil || p.Format != format {
		return nil, messages.Errorf("read ticket", messages.DataLoss, "%s cannot be understood", path)
	}
	if p.taken() || p.Void {
		close(p.settled)
	}
	b.pages[r] = p
	return p, nil
}

func (b *Book) write(r Run, p *page) error {
	text, err := json.Marshal(p.entry)
	if err != nil {
		return err
	}
	return notes.Replace(filepath.Join(b.directory(r), File), text)
}

func (b *Book) directory(r Run) string {
	return filepath.Join(b.deps.Runs, string(r.Session), strconv.FormatUint(uint64(r.Number), 10))
}

// parse splits a ticket into session, number of the run and secret.
func parse(ticket string) (r Run, secret string, ok bool) {
	parts := strings.Split(ticket, ".")
	if len(parts) != 3 || len(parts[0]) != 36 || len(parts[2]) != 2*secretSize {
		return Run{}, "", false
	}
	id, err := uuid.Parse(parts[0])
	number, errNumber := strconv.ParseUint(parts[1], 10, 64)
	return Run{messages.SessionID(id.String()), messages.RunNumber(number)}, parts[2], err == nil && errNumber == nil
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
