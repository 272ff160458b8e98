package persistence

import (
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/google/uuid"

	"betcode/persistence/internal/disk"
	"betcode/persistence/planlog"
)

// Options configure a journal.
type Options struct {
	// Directory contains the journal and nothing else. It is created if necessary.
	Directory string
	// SealBytes is how much the active file may grow before [Store.SealDue]
	// reports true; 0 = 1 GiB.
	SealBytes int64
	// CheckpointBytes is how long a log gets before [Store.CheckpointDue] reports
	// true; at twice that length commits wait
	// for the checkpoint. 0 = 16 MiB.
	CheckpointBytes int64
	// RetainBytes is the greatest size of all sealed files together, and RetainAge
	// the greatest time since a file was sealed, before [Store.Retain] drops it.
	// RetainBytes: 0 = 20 GiB, negative = no limit. RetainAge: 0 = no limit.
	RetainBytes int64
	RetainAge   time.Duration
	// RewriteRate is how many bytes of sealed files [Store.Reclaim] reads in a
	// second when it rewrites them. 0 = 16 MiB, negative = no limit.
	RewriteRate int64
	// Plans is the directory of the journals of orchestrations, which are verified and
	// backed up with this one. Empty = the one inside Directory, which a backup has.
	Plans string
	// ReadOnly opens a journal that must not change, such as a backup: nothing
	// is written, no file is made, and other processes may read it too.
	ReadOnly bool
	// InitialMmapBytes is how much address space is reserved for the active
	// file, so that growing never waits for a reader; 0 = 16 GiB if the address
	// space is large enough. It costs no memory.
	InitialMmapBytes int
	// Now is the clock; nil = time.Now.
	Now func() time.Time
	// NewLineage makes the id of a new journal; nil = a random UUID.
	NewLineage func() string

	// For tests: a hook between the steps of atomic changes, the greatest size of a
	// file, and how much a file grows at once, if not bbolt's 16 MiB.
	steps     disk.Steps
	tolerant  bool // not for tests: [Repair] opens logs with missing groups
	maxBytes  int64
	growBytes int
	// how much the active file may have grown before it is sealed to be read
	sealBeforeReading int64
	// the least garbage of a file that is rewritten, if not 1 MiB
	rewriteLeast int64
}

const (
	defaultSealBytes   = 1 << 30
	defaultRetainBytes = 20 << 30
	defaultMmapBytes   = 16 << 30
)

func (o Options) withDefaults() Options {
	if o.SealBytes <= 0 {
		o.SealBytes = defaultSealBytes
	}
	if o.CheckpointBytes <= 0 {
		o.CheckpointBytes = defaultCheckpointBytes
	}
	if o.sealBeforeReading <= 0 {
		o.sealBeforeReading = sealBeforeReading
	}
	if o.RewriteRate == 0 {
		o.RewriteRate = defaultRewriteRate
	}
	if o.rewriteLeast <= 0 {
		o.rewriteLeast = defaultRewriteLeast
	}
	switch {
	case o.RetainBytes == 0:
		o.RetainBytes = defaultRetainBytes
	case o.RetainBytes < 0:
		o.RetainBytes = 0
	}
	if o.InitialMmapBytes <= 0 && strconv.IntSize == 64 && runtime.GOOS != "windows" { // there the file itself would grow
		o.InitialMmapBytes = int(int64(defaultMmapBytes))
	}
	if o.Plans == "" {
		o.Plans = filepath.Join(o.Directory, planlog.DirectoryName)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewLineage == nil {
		o.NewLineage = uuid.NewString
	}
	return o
}
