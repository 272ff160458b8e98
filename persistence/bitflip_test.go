package persistence

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/manifest"
)

// A file with one bit flipped, anywhere, is never wrongly taken for sound: a read returns
// the committed bytes, or an error.
func TestAnyBitFlipped(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	f := newFixture(t)
	l := f.live(r, 12)
	f.checkpoint()
	want := l.pictures[len(l.pictures)-1]
	last := maps.Clone(l.disks[len(l.disks)-1])
	for _, path := range f.payloads() {
		name, _ := filepath.Rel(f.options.Directory, path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		last[name] = data
	}
	data, err := os.ReadFile(f.path(boltfile.Name(1)))
	if err != nil {
		t.Fatal(err)
	}
	used := f.store.active.Size()
	flips := 200
	if testing.Short() {
		flips = 60
	}
	noticed, harmless := 0, 0
	for range flips {
		image := bytes.Clone(data)
		at := r.Int64N(used)
		image[at] ^= 1 << r.IntN(8)
		last[boltfile.Name(1)] = image
		switch f.flipped(t, at, last, want) {
		case true:
			noticed++
		case false:
			harmless++
		}
	}
	t.Logf("%d noticed, %d in what is not in use", noticed, harmless)
	for n := range 20 { // and cut off anywhere
		last[boltfile.Name(1)] = data[:int64(n)*used/20]
		f.flipped(t, -1, last, want)
	}
}

// flipped reports whether damage is noticed. If it is not, there must be none.
func (f *fixture) flipped(t *testing.T, at int64, image device, want ...picture) (noticed bool) {
	t.Helper()
	directory, err := os.MkdirTemp("", "image-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(directory)
	image = maps.Clone(image)
	for _, name := range manifest.Names {
		if image[name], err = os.ReadFile(f.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range image {
		if err := writeFile(directory, name, data); err != nil {
			t.Fatal(err)
		}
	}
	g := makeFixture(t, directory)
	if g.store, err = Open(g.options); err != nil {
		return true
	}
	defer g.store.Close()
	report, err := g.store.Verify(context.Background(), nil)
	if err != nil {
		t.Errorf("byte %d: verify: %v", at, err)
	}
	if !report.OK() {
		return true
	}
	if got := g.picture(); !got.isOneOf(want) {
		t.Errorf("byte %d: it is another journal, and nobody says so", at)
		same(t, "journal", got, want[0])
	}
	return len(g.store.Findings()) > 0
}

// The same for a log, of which each group has one copy: one flipped bit loses nothing,
// not even of the newest group, and is reported.
func TestAnyBitOfALogFlipped(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	f := newFixture(t)
	f.commit(begin(sid(7), 3))
	f.checkpoint()
	var l life
	for len(l.disks) == 0 || slices.Contains(l.moved, true) || f.store.log.Length() < 20<<10 {
		l = f.live(r, 4)
		if slices.Contains(l.moved, true) {
			f.store.Close()
			os.RemoveAll(f.options.Directory)
			f.open()
		}
	}
	last := l.disks[len(l.disks)-1]
	want := l.pictures[len(l.pictures)-1]
	name := filepath.Base(f.store.log.Current().Name())
	data := last[name]
	flips := 200
	if testing.Short() {
		flips = 60
	}
	noticed := 0
	for i := range flips {
		image := maps.Clone(last)
		image[name] = bytes.Clone(data)
		at := r.Int64N(f.store.log.Length())
		if i < 60 {
			at = int64(i) // the head of the first
		}
		image[name][at] ^= 1 << r.IntN(8)
		if f.flipped(t, at, image, want) {
			noticed++
		}
	}
	if noticed < flips {
		t.Errorf("%d of %d noticed", noticed, flips)
	}
}
