//go:build unix

package disk

import (
	"golang.org/x/sys/unix"

	"betcode/messages"
)

// Look returns the space on the filesystem of dir.
func Look(dir string) (Space, error) {
	var s unix.Statfs_t
	for {
		switch err := unix.Statfs(dir, &s); err {
		case nil:
			unit := int64(s.Bsize) //nolint:unconvert // 32 bits elsewhere
			return Space{Free: int64(s.Bavail) * unit, Total: int64(s.Blocks) * unit}, nil
		case unix.EINTR:
		default:
			return Space{}, &messages.Error{Op: "look at the disk", Kind: messages.Unavailable, Err: err}
		}
	}
}
