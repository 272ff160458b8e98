package disk

import (
	"sync/atomic"

	"betcode/actors/internal/disk"
)

// Meter measures the free space of the disk that holds the journal and the run directories, and knows whether it is full.
// It is safe for concurrent use; the disk actor alone changes its answer.
type Meter struct {
	low  int64 // bytes; 0 = by the size of the filesystem
	look func() (disk.Space, error)
	full atomic.Bool
}

// NewMeter returns a meter that has measured once: adopted agents must not be thawed while the disk is full. With fewer
// than low free bytes the disk is full; 0 = 512 MiB, or a twentieth of a small filesystem.
func NewMeter(low int64, look func() (disk.Space, error)) *Meter {
	m := &Meter{low: low, look: look}
	if space, err := look(); err == nil {
		m.full.Store(space.Free < m.mark(space))
	}
	return m
}

// Full reports whether the disk is full.
func (m *Meter) Full() bool { return m.full.Load() }

// Measure returns the space of the disk now.
func (m *Meter) Measure() (disk.Space, error) { return m.look() }

// Spare returns how many bytes can be written before the disk is full; 0 if that is not known.
func (m *Meter) Spare() int64 {
	space, err := m.look()
	if err != nil {
		return 0
	}
	return max(0, space.Free-m.mark(space))
}

// SpareAt returns how many bytes can be written to the disk of another directory before that disk is full by the same mark.
func (m *Meter) SpareAt(dir string) (int64, error) {
	space, err := disk.Look(dir)
	return max(0, space.Free-m.mark(space)), err
}

func (m *Meter) mark(space disk.Space) int64 { return state{low: m.low, space: space}.mark() }
