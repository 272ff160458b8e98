package spool

import (
	"encoding/binary"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

func event(number int32, mask uint32) []byte {
	b := binary.NativeEndian.AppendUint32(nil, uint32(number))
	b = binary.NativeEndian.AppendUint32(b, mask)
	return append(b, make([]byte, 8)...)
}

func TestOverflowTellsEverybody(t *testing.T) {
	w := NewWatcher()
	defer w.Close()
	var all []*Watch
	for range 5 {
		watch, err := w.Add(newFile(t).path, func() {})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, watch)
	}
	one := w.notices.numbers[all[0]]
	if got := w.concerned(append(event(one, unix.IN_MODIFY), event(one, unix.IN_MODIFY)...)); len(got) != 1 || got[0] != all[0] {
		t.Fatalf("two events of one file concern %d", len(got))
	}
	if got := w.concerned(event(999, unix.IN_MODIFY)); len(got) != 0 {
		t.Fatalf("an event of nobody concerns %d", len(got))
	}
	got := w.concerned(append(event(one, unix.IN_MODIFY), event(-1, unix.IN_Q_OVERFLOW)...))
	if len(got) != len(all) {
		t.Fatalf("an overflow concerns %d of %d", len(got), len(all))
	}
	if got := w.concerned(event(one, unix.IN_MODIFY)[:7]); len(got) != 0 {
		t.Fatalf("half an event concerns %d", len(got))
	}
}

// While the watcher is stuck in a notice, more events come than the queue holds.
func TestRealOverflow(t *testing.T) {
	w := NewWatcher()
	defer w.Close()
	stuck, release := make(chan struct{}), make(chan struct{})
	a, b, victim := newFile(t), newFile(t), newFile(t)
	var blocked atomic.Bool
	block := func() {
		if blocked.CompareAndSwap(false, true) {
			return // the notice of Add
		}
		select {
		case <-release:
		case stuck <- struct{}{}:
			<-release
		}
	}
	if _, err := w.Add(a.path, block); err != nil {
		t.Fatal(err)
	}
	var told atomic.Int64
	for path, count := range map[string]*atomic.Int64{b.path: new(atomic.Int64), victim.path: &told} {
		if _, err := w.Add(path, func() { count.Add(1) }); err != nil {
			t.Fatal(err)
		}
	}
	a.write("x")
	<-stuck
	for range 10_000 { // alternating, so that the kernel cannot merge them
		a.write("x")
		b.write("x")
	}
	before := told.Load()
	victim.write("this notice is lost")
	close(release)
	eventually(t, "a notice in spite of the overflow", func() bool { return told.Load() > before })
}

func TestNoRoomMeansPolling(t *testing.T) {
	w := NewWatcher()
	defer w.Close()
	f := newFile(t)
	fd := w.notices.fd
	w.notices.fd = -1 // add fails as with ENOSPC
	var count atomic.Int64
	watch, err := w.Add(f.path, func() { count.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	w.notices.fd = fd
	if w.Polling() != 1 {
		t.Fatalf("%d files polled", w.Polling())
	}
	f.write("line\n")
	eventually(t, "a notice by polling", func() bool { return count.Load() > 1 })
	watch.Remove()
	if w.Polling() != 0 {
		t.Fatalf("%d files polled", w.Polling())
	}
}
