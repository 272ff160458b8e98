package process

import "golang.org/x/sys/unix"

// networkFilesystem returns the name of the filesystem of dir if it is not
// local, else "".
func networkFilesystem(dir string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Flags&unix.MNT_LOCAL != 0 {
		return ""
	}
	return unix.ByteSliceToString(s.Fstypename[:])
}
