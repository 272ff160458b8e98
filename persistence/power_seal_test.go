package persistence

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"betcode/messages"
	"betcode/persistence/internal/disk"
)

// While a file is made, sealed or dropped, every name that was not made durable
// may be missing again, and every file that was not synced may hold anything.
func TestPowerLossWhileSealing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	pictures := t.TempDir()
	type point struct {
		directory string
		renamed   string // by this step, not yet durable
	}
	var points []point
	f := newFixture(t, func(o *Options) { o.RetainBytes = 1 })
	f.commit(full(sid(1), 0), begin(sid(2), 4))
	f.commit(more(sid(2), 4, 3))
	f.seal()
	f.commit(more(sid(1), 3, 3), more(sid(2), 7, 2))
	directory := f.options.Directory
	f.store.options.steps = func(step string) error {
		m := point{directory: filepath.Join(pictures, fmt.Sprintf("%02d", len(points)))}
		if name, ok := strings.CutSuffix(step, " renamed"); ok {
			m.renamed = name
		}
		copyTree(t, directory, m.directory)
		points = append(points, m)
		return nil
	}
	before := f.picture()
	f.seal()
	sealed := len(points)
	if dropped, err := f.store.Retain(); dropped != 2 || err != nil {
		t.Fatal(dropped, err)
	}
	f.store.options.steps = nil
	after := f.picturesFrom(6, 9)
	for i, m := range points {
		for try := range 6 {
			image := filepath.Join(t.TempDir(), "image")
			copyTree(t, m.directory, image)
			if m.renamed != "" && try%2 == 0 { // the rename is not on disk: the old name is back
				undo(t, image, m.renamed, i, points[max(i-1, 0)].directory)
			}
			err := filepath.WalkDir(image, func(path string, d fs.DirEntry, err error) error {
				if err == nil && strings.HasSuffix(path, disk.Unfinished) {
					err = scramble(r, path, try)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			g := makeFixture(t, image)
			g.open()
			if got := g.picturesFrom(0, 0); i < sealed && !reflect.DeepEqual(got, before) {
				t.Errorf("point %d, image %d", i, try)
				same(t, "journal", got, before)
			} else if mark, _ := g.store.LowWater(sid(1)); i >= sealed && mark > 0 {
				same(t, fmt.Sprintf("point %d, image %d", i, try), g.picturesFrom(6, 9), after)
			}
			g.finish()
		}
	}
}

// picturesFrom is picture without the beginning of the two histories.
func (f *fixture) picturesFrom(one, two messages.Seq) picture {
	f.Helper()
	if mark, _ := f.store.LowWater(sid(1)); mark == 0 {
		return f.picture()
	}
	p := picture{Lineage: f.store.Lineage(), Histories: map[messages.SessionID][]string{}}
	for n, from := range map[int]messages.Seq{1: one, 2: two} {
		p.Sessions = append(p.Sessions, f.load(sid(n)))
		events, err := f.store.Events(sid(n), from, 0, 0)
		if err != nil {
			f.Errorf("%v", err)
		}
		for _, e := range events {
			p.Histories[sid(n)] = append(p.Histories[sid(n)], string(e.Bytes))
		}
	}
	if p.Sessions[0].Record.ID != sid(1) {
		p.Sessions[0], p.Sessions[1] = p.Sessions[1], p.Sessions[0]
	}
	return p
}

// undo gives a file the name it had before it was renamed, and brings back what
// it replaced.
func undo(t *testing.T, image, name string, i int, before string) {
	t.Helper()
	path := filepath.Join(image, name)
	if err := os.Rename(path, path+disk.Unfinished); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(filepath.Join(before, name))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		err = os.WriteFile(path, old, 0o600)
	}
	if err != nil {
		t.Fatalf("point %d: %v", i, err)
	}
}

// scramble makes of a file what it may be if it was not synced.
func scramble(r *rand.Rand, path string, how int) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch how % 3 {
	case 0:
		data = data[:r.IntN(len(data)+1)]
	case 1:
		for i := range data {
			data[i] = byte(r.Uint32())
		}
	case 2:
		clear(data[r.IntN(len(data)+1):])
	}
	return os.WriteFile(path, data, 0o600)
}
