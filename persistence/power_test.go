package persistence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/wal"
)

// What a power failure leaves is simulated from what the files were after one
// step and after the next. bbolt writes the pages of a transaction, syncs, writes
// one of the two meta pages, syncs. So until the first sync any of the pages may
// be on disk, or any sectors of them, and no meta page; then all of the pages and
// any part of the meta page. Of a log any of the sectors that a group is in may be
// on disk, or none.

const sectorBytes = 512

// outage makes images of what a file may be after a power failure between two
// states of it.
type outage struct {
	*rand.Rand
	before, after []byte
}

// grown returns the file as it was, as long as it may be by now.
func (o outage) grown() []byte {
	image := bytes.Clone(o.before)
	if more := len(o.after) - len(o.before); more > 0 && o.IntN(2) == 0 {
		image = append(image, make([]byte, o.IntN(more/sectorBytes+1)*sectorBytes)...)
	}
	return image
}

// write puts some sectors of a page into an image, as far as it goes.
func (o outage) write(image []byte, page int, torn bool) []byte {
	for at := page * boltfile.PageSize; at < (page+1)*boltfile.PageSize; at += sectorBytes {
		if torn && o.IntN(2) == 0 {
			continue
		}
		for len(image) < at+sectorBytes {
			image = append(image, make([]byte, sectorBytes)...)
		}
		copy(image[at:], o.after[at:at+sectorBytes])
	}
	return image
}

// changed returns the numbers of the pages that are others, the meta pages
// apart.
func (o outage) changed() (pages, meta []int) {
	for page := 0; (page+1)*boltfile.PageSize <= len(o.after); page++ {
		at := page * boltfile.PageSize
		if at+boltfile.PageSize <= len(o.before) && bytes.Equal(o.before[at:at+boltfile.PageSize], o.after[at:at+boltfile.PageSize]) {
			continue
		}
		if page < 2 {
			meta = append(meta, page)
		} else {
			pages = append(pages, page)
		}
	}
	return pages, meta
}

// early is the disk before the first sync: the old state, some pages, or parts
// of them, of the new one.
func (o outage) early() []byte {
	image := o.grown()
	pages, _ := o.changed()
	for _, page := range pages {
		if o.IntN(3) > 0 {
			image = o.write(image, page, o.IntN(2) == 0)
		}
	}
	return image
}

// late is the disk after the first sync: all pages, and a part of the meta page,
// to the byte.
func (o outage) late() []byte {
	image := bytes.Clone(o.before)
	pages, meta := o.changed()
	for _, page := range pages {
		image = o.write(image, page, false)
	}
	for len(image) < len(o.after) {
		image = append(image, 0)
	}
	for _, page := range meta {
		from, to := o.IntN(boltfile.PageSize), o.IntN(boltfile.PageSize+1)
		if o.IntN(2) == 0 { // the structure is in the first 80 bytes
			from, to = o.IntN(90), o.IntN(90)
		}
		from, to = min(from, to), max(from, to)
		copy(image[page*boltfile.PageSize+from:], o.after[page*boltfile.PageSize+from:page*boltfile.PageSize+to])
	}
	return image
}

// torn is a log before the sync: any sectors of what was written, of a file that
// has grown or not.
func (o outage) torn() []byte {
	image := o.grown()
	for at := 0; at < len(o.after); at += sectorBytes {
		end := min(at+sectorBytes, len(o.after))
		if o.IntN(3) == 0 || (end <= len(o.before) && bytes.Equal(o.before[at:end], o.after[at:end])) {
			continue
		}
		for len(image) < end {
			image = append(image, 0)
		}
		copy(image[at:], o.after[at:end])
	}
	return image
}

// device is the files of a journal that are written to, by name.
type device map[string][]byte

// life is a journal's life, step by step.
type life struct {
	disks    []device
	pictures []picture
	moved    []bool // this step was a checkpoint, not a commit
}

// live makes random appends, and checkpoints after some, and notes what the disk
// and the journal are after each.
func (f *fixture) live(r *rand.Rand, commits int) (l life) {
	f.Helper()
	note := func(moved bool) {
		d := device{}
		for _, name := range append([]string{f.store.manifest.Active}, wal.Names...) {
			data, err := os.ReadFile(f.path(name))
			if err != nil {
				f.Fatalf("%v", err)
			}
			d[name] = data
		}
		for _, path := range f.payloads() {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatalf("%v", err)
			}
			name, _ := filepath.Rel(f.options.Directory, path)
			d[name] = data
		}
		l.disks, l.pictures, l.moved = append(l.disks, d), append(l.pictures, f.picture()), append(l.moved, moved)
	}
	note(false)
	heads := map[int]messages.Seq{}
	for range commits {
		var group []messages.Append
		for _, n := range r.Perm(5)[:1+r.IntN(3)] {
			n++
			a := more(sid(n), heads[n], r.IntN(6))
			if heads[n] == 0 || r.IntN(3) == 0 {
				a = full(sid(n), heads[n])
				a.Cursor = nil
				if r.IntN(2) == 0 {
					a.Inputs, a.Settled, a.Resolved = nil, []string{"one", "two"}, []messages.RequestID{"p1"}
				}
			}
			for i := range a.Events {
				a.Events[i].Bytes = append(a.Events[i].Bytes, bytes.Repeat([]byte{byte(r.Uint32())}, r.IntN(2)*r.IntN(3000))...)
			}
			if len(a.Events) > 0 && r.IntN(12) == 0 {
				a.Events[0].Bytes = append(a.Events[0].Bytes, payload(r.IntN(1e6))...)
			}
			heads[n] += messages.Seq(len(a.Events))
			group = append(group, a)
		}
		f.commit(group...)
		note(false)
		if r.IntN(3) == 0 {
			f.checkpoint()
			note(true)
		}
	}
	return l
}

func TestPowerLossInACommit(t *testing.T) {
	seeds, commits := 2, 40
	if testing.Short() {
		seeds = 1
	}
	images := 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		f := newFixture(t)
		f.commit(begin(sid(0), 2))
		f.commit(messages.Append{Session: sid(0), Delete: true})
		f.commit(begin(sid(9), 5))
		f.seal()
		l := f.live(r, commits)
		for k := range len(l.disks) - 1 {
			for try := range 3 {
				images++
				if problem := f.opened(t, l.outage(t, r, k, try), l.pictures[k], l.pictures[k+1]); problem != "" {
					t.Fatalf("seed %d, step %d, image %d: %s", seed, k, try, problem)
				}
			}
		}
	}
	t.Logf("%d images", images)
}

// outage is the disk after a power failure in the step behind one.
func (l life) outage(t *testing.T, r *rand.Rand, k, try int) device {
	t.Helper()
	image := maps.Clone(l.disks[k])
	fresh := slices.DeleteFunc(slices.Sorted(maps.Keys(l.disks[k+1])), func(name string) bool { return l.disks[k][name] != nil })
	if len(fresh) > 0 && !l.moved[k+1] {
		t.Fatalf("step %d: payloads %v are written by a commit", k, fresh)
	}
	if early := len(fresh) > 0 && try == 0; early { // before their names were durable the transaction has not begun
		for _, name := range fresh {
			switch data := l.disks[k+1][name]; r.IntN(3) {
			case 0:
				image[name] = data
			case 1:
				image[name+disk.Unfinished] = data[:r.IntN(len(data))]
			}
		}
		return image
	}
	for _, name := range fresh {
		image[name] = l.disks[k+1][name]
	}
	for name, before := range l.disks[k] {
		o := outage{r, before, l.disks[k+1][name]}
		switch isLog := slices.Contains(wal.Names, name); {
		case bytes.Equal(before, o.after):
		case isLog && l.moved[k+1], !isLog && !l.moved[k+1]:
			t.Fatalf("step %d: %s changed", k, name)
		case isLog:
			image[name] = o.torn()
		case try%2 == 0:
			image[name] = o.early()
		default:
			image[name] = o.late()
		}
		if pages, meta := o.changed(); l.moved[k+1] && name == boltfile.Name(2) && (len(meta) != 1 || len(pages) == 0) {
			t.Fatalf("step %d: pages %v, meta pages %v changed; this is not how bbolt commits", k, pages, meta)
		}
	}
	return image
}

// opened opens the journal with an image of the files that are written to. It returns a
// problem if the journal is not one of the pictures, sound, and fit for commits.
func (f *fixture) opened(t *testing.T, image device, want ...picture) (problem string) {
	t.Helper()
	directory, err := os.MkdirTemp("", "image-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(directory)
	for _, file := range append([]string{manifest.Name}, f.store.manifest.Names()...) {
		if file != f.store.manifest.Active {
			if err := os.Link(f.path(file), filepath.Join(directory, file)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, data := range image {
		if err := writeFile(directory, name, data); err != nil {
			t.Fatal(err)
		}
	}
	g := makeFixture(t, directory)
	if g.store, err = Open(g.options); err != nil {
		return fmt.Sprintf("open: %v", err)
	}
	defer g.store.Close()
	report, err := g.store.Verify(context.Background(), nil)
	if err != nil || !report.OK() {
		return fmt.Sprintf("verify: %v, %v", report.Problems, err)
	}
	got := g.picture()
	if !got.isOneOf(want) {
		return "it is neither what was committed nor what was being committed: " + cmp.Diff(want[0], got, cmpopts.IgnoreUnexported(messages.SessionLoaded{}))
	}
	for _, s := range got.Sessions[:min(1, len(got.Sessions))] {
		g.commit(more(s.Record.ID, s.Record.Head, 2))
	}
	return ""
}

// writeFile writes a file of a journal, in the directory for its name.
func writeFile(directory, name string, data []byte) error {
	path := filepath.Join(directory, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

func (p picture) isOneOf(all []picture) bool {
	for _, w := range all {
		if reflect.DeepEqual(p, w) {
			return true
		}
	}
	return false
}

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
