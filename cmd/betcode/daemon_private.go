package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"betcode/messages"
)

const opPrivate = "keep others out"

// privateState closes the state directory to others. One that root has made for us, as a
// volume is, stays as it is, if not everybody may write to it.
func (d *daemon) privateState() error {
	dir := d.cfg.StateDir
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if owner, ok := ownerOf(info); ok && owner == 0 && os.Geteuid() != 0 {
		if info.Mode().Perm()&0o002 != 0 {
			return messages.Errorf(opPrivate, messages.Denied, "everybody may write to %s", dir).WithHint("have it closed to others (chmod o-w), or choose another state directory")
		}
		return nil
	}
	return private(dir, info, true)
}

// privateSocket closes the socket's directory to others, if it is there for the socket: a
// directory that holds other things is not ours to close, and is refused.
func (d *daemon) privateSocket() error {
	dir := filepath.Dir(d.cfg.SocketPath)
	info, err := os.Stat(dir)
	if err != nil {
		return err
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
	return private(dir, info, ours && info.Mode()&fs.ModeSticky == 0)
}

// private makes sure that only we may enter a directory, which has to be our own.
func private(dir string, info fs.FileInfo, mayClose bool) error {
	if owner, ok := ownerOf(info); ok && owner != os.Geteuid() {
		return messages.Errorf(opPrivate, messages.Denied, "%s is of user %d, and this is user %d", dir, owner, os.Geteuid()).
			WithHint("whoever owns a directory decides what is in it: choose another one")
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if !mayClose {
		return messages.Errorf(opPrivate, messages.Denied, "others may enter %s, and it is not there for the socket alone", dir).
			WithHint("choose a --socket in a directory of its own, or close this one yourself: chmod 700")
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("%s is open to others: %w", dir, err)
	}
	return nil
}
