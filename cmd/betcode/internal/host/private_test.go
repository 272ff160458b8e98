//go:build unix

package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/config"
	"betcode/messages"
)

func TestPrivateDirectories(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	mode := func(dir string) fs.FileMode {
		t.Helper()
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode()
	}
	for _, c := range []struct {
		name    string
		mode    fs.FileMode
		beside  string // something else in the directory
		refused bool
		after   fs.FileMode
	}{
		{name: "closed", mode: 0o700, beside: "x", after: 0o700},
		{name: "empty", mode: 0o755, after: 0o700},
		{name: "left", mode: 0o755, beside: "s", after: 0o700},                  // the socket itself
		{name: "betcode", mode: 0o755, beside: "x", after: 0o700},               // made for us
		{name: "home", mode: 0o755, beside: "x", refused: true, after: 0o755},   // not ours to close
		{name: "tmp", mode: 0o777 | fs.ModeSticky, refused: true, after: 0o777}, // the least so
		{name: "open", mode: 0o777, beside: "other", refused: true, after: 0o777},
	} {
		dir := filepath.Join(root, c.name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if c.beside != "" {
			if err := os.WriteFile(filepath.Join(dir, c.beside), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, c.mode); err != nil {
			t.Fatal(err)
		}
		d := &daemon{cfg: config.Daemon{SocketPath: filepath.Join(dir, "s")}}
		if err := d.privateSocket(); (messages.KindOf(err) == messages.Denied && err != nil) != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := mode(dir).Perm(); got != c.after {
			t.Errorf("%s has mode %v afterwards, want %v", c.name, got, c.after)
		}
	}

	// A directory behind a link is used if its mode is 0700; its mode is never changed.
	for target, refused := range map[string]bool{"closed": false, "behind": true} {
		dir := filepath.Join(root, target)
		if refused {
			if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // that is what must not be closed
				t.Fatal(err)
			}
		}
		before, link := mode(dir), filepath.Join(root, "to "+target, "betcode")
		if err := errors.Join(os.Mkdir(filepath.Dir(link), 0o700), os.Symlink(dir, link)); err != nil {
			t.Fatal(err)
		}
		d := &daemon{cfg: config.Daemon{SocketPath: filepath.Join(link, "s")}}
		err := d.privateSocket()
		if (err != nil) != refused || mode(dir) != before || refused && !strings.Contains(err.Error(), "symbolic link") {
			t.Errorf("a link to %s: %v, %v", target, err, mode(dir))
		}
	}

	state, linked := filepath.Join(root, "state"), filepath.Join(root, "linked")
	if err := errors.Join(os.Mkdir(state, 0o700), os.Chmod(state, 0o777), os.Symlink(state, linked)); err != nil {
		t.Fatal(err)
	}
	if err := (&daemon{cfg: config.Daemon{StateDir: linked}}).privateState(); messages.KindOf(err) != messages.Denied || mode(state).Perm() != 0o777 {
		t.Errorf("an open state directory behind a link: %v, %v", err, mode(state))
	}
	if err := (&daemon{cfg: config.Daemon{StateDir: state}}).privateState(); err != nil || mode(state).Perm() != 0o700 {
		t.Errorf("an open state directory: %v, %v", err, mode(state))
	}
	if err := (&daemon{cfg: config.Daemon{StateDir: linked}}).privateState(); err != nil {
		t.Errorf("a closed state directory behind a link: %v", err)
	}
}

// A directory of another user is refused, whatever its mode.
func TestDirectoryOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a directory away")
	}
	dir := filepath.Join(t.TempDir(), "betcode")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, 65534, -1); err != nil {
		t.Skip(err)
	}
	d := &daemon{cfg: config.Daemon{SocketPath: filepath.Join(dir, "s"), StateDir: dir}}
	if err := d.privateSocket(); err == nil || messages.KindOf(err) != messages.Denied {
		t.Errorf("for the socket: %v", err)
	}
	if err := d.privateState(); err == nil || messages.KindOf(err) != messages.Denied {
		t.Errorf("for the state: %v", err)
	}
}
