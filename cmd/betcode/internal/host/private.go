package host

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"betcode/cmd/betcode/internal/local"
	"betcode/messages"
)

const opPrivate = "check directory permissions"

// privateState closes the state directory to other users, or refuses an open one behind a symbolic link. A directory of
// root, such as a mounted volume, stays as it is unless everybody may write to it.
func (d *daemon) privateState() error {
	dir := d.cfg.StateDir
	info, link, err := behind(dir)
	if err != nil {
		return err
	}
	if owner, ok := local.Owner(info); ok && owner == 0 && os.Geteuid() != 0 {
		if info.Mode().Perm()&0o002 != 0 {
			return messages.Errorf(opPrivate, messages.Denied, "everybody may write to %s", dir).WithHint("ask its owner to run 'chmod o-w' on it, or choose another state directory")
		}
		return nil
	}
	return private(dir, info, link)
}

// behind returns what a path leads to, and why the daemon must not close that: a symbolic link. An agent could put one to
// a directory of the user in the place of the daemon's directory.
func behind(dir string) (target fs.FileInfo, link string, err error) {
	if target, err = os.Stat(dir); err != nil {
		return nil, "", err
	}
	place, err := os.Lstat(dir)
	if err == nil && place.Mode()&fs.ModeSymlink != 0 {
		link = "it is a symbolic link"
	}
	return target, link, err
}

// privateSocket closes the socket's directory to other users if it holds nothing but the socket. It refuses any other
// directory that is open to others, and one behind a symbolic link.
func (d *daemon) privateSocket() error {
	dir := filepath.Dir(d.cfg.SocketPath)
	info, link, err := behind(dir)
	if err != nil {
		return err
	}
	if link != "" {
		return private(dir, info, link)
	}
	made := []string{d.cfg.ConfigDir, d.cfg.StateDir}
	ours := slices.Contains(made, dir) || filepath.Base(dir) == "betcode"
	if !ours {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		ours = !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != filepath.Base(d.cfg.SocketPath) })
	}
	if info.Mode()&fs.ModeSticky != 0 {
		return private(dir, info, "it is sticky, as shared directories are")
	}
	if !ours {
		return private(dir, info, "it holds other files than the socket")
	}
	return private(dir, info, "")
}

// private checks that a directory belongs to this user and closes it to others. An obstacle is why it must not be closed.
func private(dir string, info fs.FileInfo, obstacle string) error {
	if owner, ok := local.Owner(info); ok && owner != os.Geteuid() {
		return messages.Errorf(opPrivate, messages.Denied, "%s belongs to user %d, and this is user %d", dir, owner, os.Geteuid()).
			WithHint("choose a directory that belongs to you: its owner could replace the files in it")
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if obstacle != "" {
		return messages.Errorf(opPrivate, messages.Denied, "others may enter %s, and %s", dir, obstacle).
			WithHint("close it with 'chmod 700', or choose another one with --socket or --state-dir")
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("%s is open to others: %w", dir, err)
	}
	return nil
}
