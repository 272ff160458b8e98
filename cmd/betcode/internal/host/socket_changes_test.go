package host

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The end of the socket file and of its directory is reported, also of a directory that was made again; changes of other files are
// not.
func TestSocketChanges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	path := filepath.Join(dir, "daemon.sock")
	listen := func() {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		t.Cleanup(func() { l.Close() })
	}
	listen()
	changes := watchSocket(path)
	defer changes.close()
	if changes.notices == nil {
		t.Skip("the system has no notices of files for this user")
	}
	gone := func(what string, remove func() error) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "other"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := remove(); err != nil {
			t.Fatal(err)
		}
		late := time.After(time.Minute)
		for {
			select {
			case e := <-changes.events:
				if !changes.concern(e) {
					continue
				}
				if _, err := os.Lstat(path); err != nil {
					return
				}
			case err := <-changes.errors:
				t.Fatal(err)
			case <-late:
				t.Fatalf("%s is not reported", what)
			}
		}
	}
	for range 3 {
		gone("the end of the socket", func() error { return os.Remove(path) })
		listen()
		changes.arm()
		gone("the end of the directory", func() error { return os.RemoveAll(dir) })
		listen()
		changes.arm()
	}
	if busy := watchSocket(path, dir); busy.notices != nil || busy.pause() != socketPoll {
		t.Error("a directory in which files change all the time is watched")
	}
}
