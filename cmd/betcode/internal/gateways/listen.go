package gateways

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"betcode/cmd/betcode/internal/local"
	"betcode/messages"
)

const opListen = "open gateway socket"

// listen opens a socket in a directory that only this user may enter. It dials an existing socket
// first, and replaces it only if no process answers. remove removes the file if it is still this
// one.
func listen(path string) (l net.Listener, remove func() error, err error) {
	if err := checkPath(path); err != nil {
		return nil, nil, err
	}
	if err := privateDirectory(path); err != nil {
		return nil, nil, err
	}
	if err := removeStale(path); err != nil {
		return nil, nil, err
	}
	if l, err = net.Listen("unix", path); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", opListen, err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // the file may be that of another gateway by then
	ours, err := os.Lstat(path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		l.Close()
		return nil, nil, fmt.Errorf("%s: %w", opListen, err)
	}
	return l, func() error {
		if now, err := os.Lstat(path); err != nil || !os.SameFile(ours, now) {
			return nil //nolint:nilerr // it is gone, or another one's
		}
		return os.Remove(path)
	}, nil
}

// checkPath refuses paths that the system cannot bind.
func checkPath(path string) error {
	room := 108 // sun_path, with the byte that ends it
	switch runtime.GOOS {
	case "windows":
		return messages.Errorf(opListen, messages.Unimplemented, "this gateway has a Unix socket, whose mode keeps nobody out on Windows")
	case "darwin":
		room = 104
	}
	switch {
	case !filepath.IsAbs(path):
		return messages.Errorf(opListen, messages.Invalid, "the path %q is relative", path).
			WithHint("give an absolute path with --path or MAELSTROM_SOCKET")
	case len(path)+1 > room:
		return messages.Errorf(opListen, messages.Invalid, "the path %s has %d bytes, and the system takes %d", path, len(path), room-1).
			WithHint("give a shorter one with --path or MAELSTROM_SOCKET")
	}
	return nil
}

// privateDirectory makes the directory of the socket. It must belong to this user, be no link, and
// be closed to others; a directory with nothing else in it is closed here.
func privateDirectory(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("%s: %w", opListen, err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", opListen, err)
	}
	refuse := func(format string, args ...any) error {
		return messages.Errorf(opListen, messages.Denied, format, args...).
			WithHint("give a socket in a directory of its own that belongs to you, with --path or MAELSTROM_SOCKET")
	}
	if !info.IsDir() {
		return refuse("%s is a link or a file, not a directory", dir)
	}
	if owner, ok := local.Owner(info); ok && owner != os.Geteuid() {
		return refuse("%s belongs to user %d, and this is user %d", dir, owner, os.Geteuid())
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", opListen, err)
	}
	if info.Mode()&fs.ModeSticky != 0 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != filepath.Base(path) }) {
		return refuse("others may enter %s, and it holds other files than the socket", dir)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("%s: %w", opListen, err)
	}
	return nil
}

// removeStale removes a socket without a listener. It does not remove other files.
func removeStale(path string) error {
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", opListen, err)
	case info.Mode().Type() != fs.ModeSocket:
		return messages.Errorf(opListen, messages.AlreadyExists, "%s is no socket", path).
			WithHint("remove it, or give another path with --path or MAELSTROM_SOCKET")
	}
	if local.Answers(path, local.StaleAfter) {
		return messages.Errorf(opListen, messages.Unavailable, "another gateway answers on %s", path).
			WithHint("use that one, stop it, or give another path with --path or MAELSTROM_SOCKET")
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove stale socket: %w", err)
	}
	return nil
}
