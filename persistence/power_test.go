package persistence

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"betcode/messages"
	"betcode/persistence/internal/boltfile"
	"betcode/persistence/internal/disk"
	"betcode/persistence/internal/manifest"
	"betcode/persistence/internal/wal"
)

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
					a.Inputs, a.Done, a.Resolved = nil, []string{"one", "two"}, []messages.RequestID{"p1"}
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

func (p picture) isOneOf(all []picture) bool {
	for _, w := range all {
		if reflect.DeepEqual(p, w) {
			return true
		}
	}
	return false
}
