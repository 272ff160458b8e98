package ticket

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

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

// entry is the format of the file.
type entry struct {
	Format int                      `json:"format"`
	Hash   string                   `json:"ticket_sha256"` // hexadecimal
	Holder messages.ProcessIdentity `json:"holder"`        // zero = not taken
	Void   bool                     `json:"void"`          // no process may take it any more
}

// open returns the ticket of a run, nil if it has none. A ticket whose file cannot be read is void.
func (g *Registry) open(r Run) *ticket {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, err := g.ticket(r)
	if err != nil {
		p = &ticket{entry: entry{Void: true}, resolved: make(chan struct{})}
		close(p.resolved)
	}
	g.tickets[r] = p
	return p
}

// ticket returns the ticket of a run, nil if it has none. The caller holds mu.
func (g *Registry) ticket(r Run) (*ticket, error) {
	if p, known := g.tickets[r]; known {
		return p, nil
	}
	path := filepath.Join(g.directory(r), File)
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
	p := &ticket{resolved: make(chan struct{})}
	if err := json.Unmarshal(text, &p.entry); err != nil || p.Format != format {
		return nil, messages.Errorf("read ticket", messages.DataLoss, "%s cannot be understood", path)
	}
	if p.taken() || p.Void {
		close(p.resolved)
	}
	g.tickets[r] = p
	return p, nil
}

func (g *Registry) write(r Run, p *ticket) error {
	text, err := json.Marshal(p.entry)
	if err != nil {
		return err
	}
	return notes.Replace(filepath.Join(g.directory(r), File), text)
}

func (g *Registry) directory(r Run) string {
	return filepath.Join(g.deps.Runs, string(r.Session), strconv.FormatUint(uint64(r.Number), 10))
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
