package spool

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// notices is the only inotify instance of a watcher. Its methods are called with
// the watcher's lock held, except close.
type notices struct {
	file    *os.File
	fd      int
	watches map[int32][]*Watch // by watch descriptor; several watches of one file share one
	numbers map[*Watch]int32
}

// interesting are the events that make a reader look: a write, and the end of the file's
// name, which the reader reports as a loss.
const interesting = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_MOVE_SELF | unix.IN_DELETE_SELF

// newNotices returns nil if the user has no instance left.
func newNotices() *notices {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil
	}
	return &notices{
		file: os.NewFile(uintptr(fd), "inotify"), fd: fd,
		watches: map[int32][]*Watch{}, numbers: map[*Watch]int32{},
	}
}

// add reports whether there was room for one more.
func (n *notices) add(watch *Watch) bool {
	wd, err := unix.InotifyAddWatch(n.fd, watch.path, interesting)
	if err != nil {
		return false
	}
	number := int32(wd)
	n.watches[number] = append(n.watches[number], watch)
	n.numbers[watch] = number
	return true
}

func (n *notices) remove(watch *Watch) {
	number, ok := n.numbers[watch]
	if !ok {
		return
	}
	delete(n.numbers, watch)
	left := make([]*Watch, 0, len(n.watches[number]))
	for _, other := range n.watches[number] {
		if other != watch {
			left = append(left, other)
		}
	}
	if n.watches[number] = left; len(left) == 0 {
		delete(n.watches, number)
		_, _ = unix.InotifyRmWatch(n.fd, uint32(number)) // fails if the file was removed, and the watch with it
	}
}

func (n *notices) close() { n.file.Close() }

// listen waits for notices, in the network poller, and passes them on until the
// watcher is closed.
func (w *Watcher) listen() {
	events := make([]byte, 64<<10)
	for {
		n, err := w.notices.file.Read(events)
		if err != nil {
			return
		}
		for _, watch := range w.concerned(events[:n]) {
			watch.notify()
		}
	}
}

// concerned returns the watches of the files that the events are about, each once. After an
// overflow it returns all, because lost events are unknown.
func (w *Watcher) concerned(events []byte) []*Watch {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := map[*Watch]struct{}{}
	var all []*Watch
	note := func(watch *Watch) {
		if _, twice := seen[watch]; !twice {
			seen[watch] = struct{}{}
			all = append(all, watch)
		}
	}
	// struct inotify_event: descriptor, mask, cookie, length of the name that follows.
	for len(events) >= unix.SizeofInotifyEvent {
		number := int32(binary.NativeEndian.Uint32(events))
		mask := binary.NativeEndian.Uint32(events[4:])
		name := int(binary.NativeEndian.Uint32(events[12:]))
		if mask&unix.IN_Q_OVERFLOW != 0 {
			for watch := range w.watches {
				note(watch)
			}
		}
		for _, watch := range w.notices.watches[number] {
			note(watch)
			if mask&unix.IN_IGNORED != 0 { // the file was removed, and the descriptor may be reused
				delete(w.notices.numbers, watch)
			}
		}
		if mask&unix.IN_IGNORED != 0 {
			delete(w.notices.watches, number)
		}
		events = events[min(unix.SizeofInotifyEvent+name, len(events)):]
	}
	return all
}
