//go:build unix

package doctor

import "golang.org/x/sys/unix"

// freeBytes returns the space on the filesystem of a directory that this user may use.
func freeBytes(directory string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(directory, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:gosec,unconvert // 32 bits elsewhere
}
