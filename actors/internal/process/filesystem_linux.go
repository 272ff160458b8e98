package process

import "golang.org/x/sys/unix"

// remote are the filesystems whose other end is another kernel, by their magic number
// in statfs(2), which is 32 bits wide whatever its type. A FIFO there may be refused, a
// lock may be lost, and inotify does not report every change.
var remote = map[uint32]string{
	unix.NFS_SUPER_MAGIC:  "NFS",
	unix.SMB_SUPER_MAGIC:  "SMB",
	unix.SMB2_SUPER_MAGIC: "SMB",
	unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.AFS_SUPER_MAGIC:  "AFS",
	unix.AFS_FS_MAGIC:     "AFS",
	unix.CODA_SUPER_MAGIC: "Coda",
	unix.CEPH_SUPER_MAGIC: "Ceph",
	unix.V9FS_MAGIC:       "9P (a folder of the host system)",
	0x564c:                "NCP",
	0x01161970:            "GFS2",
	0x7461636f:            "OCFS2",
	0x0bd00bd0:            "Lustre",
	0x47504653:            "GPFS",
	0xaad7aaea:            "PanFS",
	0x19830326:            "BeeGFS",
	0x786f4256:            "a VirtualBox shared folder",
	0xbacbacbc:            "a VMware shared folder",
}

// networkFilesystem returns the name of the filesystem of dir if it is one of
// those, else "".
func networkFilesystem(dir string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return ""
	}
	return remote[uint32(s.Type)]
}
