package host

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"betcode/cmd/betcode/internal/local"
	"betcode/messages"
)

// listen opens the socket or the named pipe for callers of this machine.
func (d *daemon) listen() (err error) {
	if !local.IsPipe(d.cfg.SocketPath) {
		return d.listenSocket()
	}
	if d.listener, err = local.ListenPipe(d.cfg.SocketPath); errors.Is(err, fs.ErrPermission) {
		return (&messages.Error{Op: "listen", Kind: messages.Unavailable, Err: err}).
			WithHint("a pipe of this name exists: use that daemon, stop it, or choose another --socket")
	}
	return err
}

// listenSocket opens the socket in a directory that only this user may enter. It dials an existing socket file first, and
// replaces it only if no daemon answers.
func (d *daemon) listenSocket() error {
	path := d.cfg.SocketPath
	if err := d.privateSocket(); err != nil {
		return err
	}
	switch _, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if local.Answers(path, local.StaleAfter) {
			return messages.Errorf("listen", messages.Unavailable, "another daemon answers on %s", path).
				WithHint("use that daemon, stop it, or choose another --socket")
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove stale socket: %w", err)
		}
		d.log.Warn().Str("socket", path).Msg("socket of an earlier daemon replaced")
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	listener.(*net.UnixListener).SetUnlinkOnClose(false) // removeSocket removes it only if it is ours
	made, err := os.Lstat(path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil { // it was deleted again
		return errors.Join(err, listener.Close())
	}
	d.listener, d.socket = listener, made
	return nil
}

// removeSocket removes the socket file if it is still the one that this daemon made, and not that of another daemon.
func (d *daemon) removeSocket() error {
	if d.socket == nil {
		return nil
	}
	if now, err := os.Lstat(d.cfg.SocketPath); err != nil || !os.SameFile(d.socket, now) {
		d.log.Warn().Str("socket", d.cfg.SocketPath).Msg("socket file is another one now, and is not removed")
		return nil //nolint:nilerr // already removed
	}
	return os.Remove(d.cfg.SocketPath)
}
