package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// FileName is the name of the ledger in a configuration directory.
const FileName = "trusted.json"

// Ledger is the list of what the user has trusted.
type Ledger struct {
	// Directories were trusted by a version that did not compare contents. Their trust
	// must be confirmed once more.
	Directories []string `json:"directories,omitempty"`
	Records     []Record `json:"trusted,omitempty"` // sorted by directory
}

// Record is one trusted directory, with its content at that time.
type Record struct {
	Directory  string              `json:"directory"` // absolute, with symbolic links resolved
	At         time.Time           `json:"at"`
	Worktree   string              `json:"worktree,omitempty"`
	Repository string              `json:"repository,omitempty"`
	Files      map[string]Accepted `json:"files"`
}

// Accepted is the content of a file that was trusted.
type Accepted struct {
	Hash     string    `json:"sha256"`
	Findings []Finding `json:"findings,omitempty"`
}

// Read reads the ledger of a configuration directory. A missing file is an empty ledger.
func Read(configDir string) (Ledger, error) {
	var l Ledger
	path := filepath.Join(configDir, FileName)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("read trusted directories: %w", err)
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return Ledger{}, fmt.Errorf("read trusted directories: %s: %w", path, err)
	}
	return l, nil
}

// Encode returns the content of the ledger's file.
func (l Ledger) Encode() ([]byte, error) {
	raw, err := json.MarshalIndent(l, "", "  ")
	return append(raw, '\n'), err
}

// List returns the trusted directories, sorted, including those of earlier versions.
func (l Ledger) List() []string {
	list := slices.Clone(l.Directories)
	for _, r := range l.Records {
		list = append(list, r.Directory)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Accept returns the ledger with the content of a report as trusted. It refuses a report with problems.
func (l Ledger) Accept(r Report, at time.Time) (Ledger, error) {
	if len(r.Problems) > 0 {
		return l, fmt.Errorf("%s cannot be trusted: %s", r.Directory, r.Problems[0])
	}
	record := Record{Directory: r.Directory, At: at.UTC(), Worktree: r.Worktree, Repository: r.Repository, Files: map[string]Accepted{}}
	for path, hash := range r.Files {
		record.Files[path] = Accepted{Hash: hash, Findings: r.of(path)}
	}
	l = l.Remove(r.Directory)
	l.Records = append(l.Records, record)
	slices.SortFunc(l.Records, func(a, b Record) int { return strings.Compare(a.Directory, b.Directory) })
	return l, nil
}

// Remove returns the ledger without a directory. A directory that is also trusted through one above it stays trusted.
func (l Ledger) Remove(directory string) Ledger {
	directory = resolved(directory)
	return Ledger{
		Directories: slices.DeleteFunc(slices.Clone(l.Directories), func(d string) bool { return d == directory }),
		Records:     slices.DeleteFunc(slices.Clone(l.Records), func(r Record) bool { return r.Directory == directory }),
	}
}

// Refresh returns the ledger with the present content of one file wherever its previous content was
// trusted. It is for a file that the user has changed through the daemon.
func (l Ledger) Refresh(r Report, path string) Ledger {
	l.Records = slices.Clone(l.Records)
	for i, record := range l.Records {
		if _, known := record.Files[path]; !known && record.Directory != r.Directory {
			continue
		}
		files := maps.Clone(record.Files)
		if hash, there := r.Files[path]; there {
			files[path] = Accepted{Hash: hash, Findings: r.of(path)}
		} else {
			delete(files, path)
		}
		l.Records[i].Files = files
	}
	return l
}
