package host

import (
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// socketPoll is how often the daemon checks that its socket file exists. Each check wakes several threads of a daemon at
	// rest; without the file no client of this machine can connect.
	socketPoll = 3 * time.Second
	// socketGlance is that for a directory whose changes the system reports: file systems of other machines report only their
	// own.
	socketGlance = time.Minute
)

// socketChanges reports changes of the socket's directory. Without notices of the system nothing is reported.
type socketChanges struct {
	path    string
	notices *fsnotify.Watcher // nil = none
	events  <-chan fsnotify.Event
	errors  <-chan error
}

// watchSocket watches the directory of a socket. busy are directories in which files change all the time: the notices would
// cost more than the poll.
func watchSocket(path string, busy ...string) *socketChanges {
	s := &socketChanges{path: filepath.Clean(path)}
	for _, dir := range busy {
		if filepath.Clean(dir) == filepath.Dir(s.path) {
			return s
		}
	}
	notices, err := fsnotify.NewWatcher()
	if err != nil { // the limit of the user; the poll works without
		return s
	}
	s.notices, s.events, s.errors = notices, notices.Events, notices.Errors
	s.arm()
	return s
}

// arm watches the directory that is there now: another one than before, if that was deleted.
func (s *socketChanges) arm() {
	if s.notices != nil && s.notices.Add(filepath.Dir(s.path)) != nil {
		_ = s.notices.Close() // the channels are closed, too
		s.notices, s.events, s.errors = nil, nil, nil
	}
}

// concern reports whether an event may be the end of the socket.
func (s *socketChanges) concern(e fsnotify.Event) bool {
	return e.Name == s.path || e.Name == filepath.Dir(s.path)
}

// pause is how long the socket may go without a check.
func (s *socketChanges) pause() time.Duration {
	if s.notices == nil {
		return socketPoll
	}
	return socketGlance
}

func (s *socketChanges) close() {
	if s.notices != nil {
		_ = s.notices.Close()
	}
}
