package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/fault"
	"betcode/persistence/search/internal/document"
)

const (
	opOpen   = "open search index"
	opIndex  = "index history"
	opSearch = "search history"

	// FileName is the name of the file of an index.
	FileName = "index.db"
)

// Journal is the part of the journal that the index is made from.
type Journal interface {
	// Lineage identifies the journal: an index of another one is not used.
	Lineage() string
	// Events returns copies of the events after a number; Salvaged skips damage.
	Events(session messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, error)
	Salvaged(session messages.SessionID, after messages.Seq, maxEvents, maxBytes int) ([]messages.Event, *messages.HistoryGap, error)
	// Outline returns the facts about a session that need no I/O, and Outlines those of all.
	Outline(messages.SessionID) (messages.SessionOutline, bool)
	Outlines() []messages.SessionOutline
}

// Options configure an [Index].
type Options struct {
	Directory string // contains the index and nothing else; created if necessary
	Journal   Journal
}

// Index is an open index. One goroutine may change it ([Index.Advance], [Index.Flush], [Index.Reduce], [Index.Check],
// [Index.Close]); any number may search it meanwhile.
type Index struct {
	options  Options
	file     *boltfile.File
	builders map[messages.SessionID]*document.Builder // of the writer alone

	mu       sync.RWMutex
	maxBytes int64 // not positive = no limit
	about    description
	fresh    *memory // the segment that is not in the file yet
	sessions []messages.SessionID
	places   map[messages.SessionID]uint32
	marks    map[messages.SessionID]mark
	changed  map[messages.SessionID]bool // whose marks are not in the file
	tools    []string                    // by place, from 1
	toolAt   map[string]uint16
	named    int // how many of them are in the file
}

// maxBuilders bounds the sessions whose unfinished documents are kept in memory.
const maxBuilders = 64

// Open opens the index in a directory. It removes an index that is damaged, of another format or of another journal, and begins an
// empty one; lost is the reason. If there was no index, lost is nil.
func Open(o Options) (x *Index, lost, err error) {
	if err := os.MkdirAll(o.Directory, 0o700); err != nil {
		return nil, nil, fault.Storage(opOpen, err)
	}
	if x, err = open(o); err == nil {
		return x, nil, nil
	}
	if kind := messages.KindOf(err); kind != messages.DataLoss && kind != messages.WrongState {
		return nil, nil, err
	}
	lost = err
	if err := Remove(o.Directory); err != nil {
		return nil, lost, err
	}
	x, err = open(o)
	return x, lost, err
}

// Remove deletes the index in a directory, which must be closed.
func Remove(directory string) error {
	if err := os.Remove(filepath.Join(directory, FileName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fault.Storage(opOpen, err)
	}
	return nil
}

// mapBytes is how much address space is reserved, so that growing does not wait for searches.
const mapBytes = 1 << 30

func open(o Options) (x *Index, err error) {
	path := filepath.Join(o.Directory, FileName)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fault.DamagedFile(opOpen, FileName, errors.New("it is no regular file"))
	}
	x = &Index{
		options: o, builders: map[messages.SessionID]*document.Builder{},
		places: map[messages.SessionID]uint32{}, marks: map[messages.SessionID]mark{}, changed: map[messages.SessionID]bool{},
		tools: []string{""}, toolAt: map[string]uint16{}, named: 1,
	}
	if x.file, err = boltfile.Open(opOpen, path, boltfile.Options{InitialMmapSize: mapBytes}); err != nil {
		return nil, err
	}
	if err := x.load(); err != nil {
		return nil, errors.Join(err, x.file.Close())
	}
	x.fresh = newMemory(x.about.Next)
	return x, nil
}

// load reads the parts that are kept in memory, or begins a new file.
func (x *Index) load() error {
	fresh := false
	err := x.file.View(opOpen, func(tx *boltfile.Tx) error {
		if fresh = !tx.Has(bucketIndex); fresh {
			return nil
		}
		for _, bucket := range buckets {
			if !tx.Has(bucket) {
				return damaged(bucket, nil, errRow)
			}
		}
		if err := readJSON(tx, bucketIndex, keyIndex, &x.about); err != nil {
			return err
		}
		if x.about.Format != format || x.about.Lineage != x.options.Journal.Lineage() {
			return messages.Errorf(opOpen, messages.WrongState, "the index has format %d and belongs to the journal %s", x.about.Format, x.about.Lineage)
		}
		return errors.Join(x.loadSessions(tx), x.loadTools(tx))
	})
	if err != nil || !fresh {
		return err
	}
	x.about = description{Format: format, Lineage: x.options.Journal.Lineage(), Next: 1}
	return x.file.Update(opOpen, func(tx *boltfile.Tx) error {
		for _, bucket := range buckets {
			if err := tx.Make(bucket); err != nil {
				return err
			}
		}
		return putJSON(tx, bucketIndex, keyIndex, x.about)
	})
}

func (x *Index) loadSessions(tx *boltfile.Tx) error {
	return tx.Each(bucketSessions, func(key, value []byte) error {
		body, err := unstamp(bucketSessions, key, value)
		if err != nil {
			return err
		}
		id, m, ok := parseSession(body)
		if len(key) != 4 || binary.BigEndian.Uint32(key) != uint32(len(x.sessions)) || !ok { //nolint:gosec // they are counted
			return damaged(bucketSessions, key, errRow)
		}
		if outline, found := x.options.Journal.Outline(id); found && !outline.Damaged && outline.Head < m.head {
			return damaged(bucketSessions, key, fmt.Errorf("session %s has %d events, and %d are indexed", id, outline.Head, m.head))
		}
		x.places[id] = uint32(len(x.sessions)) //nolint:gosec // they are counted
		x.sessions, x.marks[id] = append(x.sessions, id), m
		return nil
	})
}

func (x *Index) loadTools(tx *boltfile.Tx) error {
	err := tx.Each(bucketTools, func(key, value []byte) error {
		name, err := unstamp(bucketTools, key, value)
		if err != nil {
			return err
		}
		if len(key) != 4 || binary.BigEndian.Uint32(key) != uint32(len(x.tools)) { //nolint:gosec // they are counted
			return damaged(bucketTools, key, errRow)
		}
		x.toolAt[string(name)] = uint16(len(x.tools)) //nolint:gosec // bounded by maxTools
		x.tools = append(x.tools, string(name))
		return nil
	})
	x.named = len(x.tools)
	return err
}

// SetMaxBytes bounds the index, which has no bound at first: [Index.Reduce] drops the oldest segments.
func (x *Index) SetMaxBytes(n int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.maxBytes = n
}

// Close writes the segment in memory and closes the index.
func (x *Index) Close() error {
	err := x.Flush()
	return errors.Join(err, x.file.Close())
}

// Abandon closes a damaged index.
func (x *Index) Abandon() error { return x.file.Close() }
