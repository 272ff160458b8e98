package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"betcode/config"
)

// remote are the filesystems whose other end is another kernel, by their magic numbers.
var remote = map[uint32]string{
	unix.NFS_SUPER_MAGIC:  "NFS",
	unix.SMB_SUPER_MAGIC:  "SMB",
	unix.SMB2_SUPER_MAGIC: "SMB",
	unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.AFS_SUPER_MAGIC:  "AFS",
	unix.CEPH_SUPER_MAGIC: "Ceph",
	unix.V9FS_MAGIC:       "9P (a folder of the host system)",
	unix.FUSE_SUPER_MAGIC: "FUSE",
}

// filesystemOf names the filesystem of a directory if locks or synced writes may fail there, and reports whether it is in memory.
func filesystemOf(path string) (name string, volatile bool) {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return "", false
	}
	kind := uint32(s.Type) //nolint:gosec // the magic number has 32 bits, whatever its type
	return remote[kind], kind == unix.TMPFS_MAGIC || kind == unix.RAMFS_MAGIC
}

// kernel reads the features of the kernel that a user may use, from files below a directory.
func kernel(system string, uid int) Kernel {
	limits := filepath.Join(system, "/proc/sys/fs/inotify")
	k := Kernel{Instances: number(filepath.Join(limits, "max_user_instances")), Watches: number(filepath.Join(limits, "max_user_watches"))}
	const askVersion = 1 // LANDLOCK_CREATE_RULESET_VERSION
	if version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, askVersion); errno == 0 {
		k.Landlock = int(version) //nolint:gosec // a small number
	}
	groups := filepath.Join(system, "/sys/fs/cgroup")
	manager := filepath.Join(groups, fmt.Sprintf("user.slice/user-%d.slice/user@%d.service/cgroup.controllers", uid, uid))
	for _, path := range []string{manager, ownControllers(groups)} {
		if raw, err := os.ReadFile(path); err == nil {
			k.MemoryControl = slices.Contains(strings.Fields(string(raw)), "memory") && unix.Access(filepath.Join(filepath.Dir(path), "cgroup.procs"), unix.W_OK) == nil
			break
		}
	}
	return k
}

// ownControllers returns the file that lists the controllers of the control group of this process.
func ownControllers(groups string) string {
	raw, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(raw)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return filepath.Join(groups, path, "cgroup.controllers")
		}
	}
	return ""
}

// number reads a number from a file of the kernel; 0 if it cannot.
func number(path string) int {
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return 0
	}
	return n
}

// service looks for systemd, from files below a directory, and for the unit of the daemon. A unit that a package has installed
// counts once it is enabled.
func service(system string, w config.Environment, login string) Service {
	s := Service{Manager: w.IsDir(filepath.Join(system, "/run/systemd/system"))}
	if dir, err := w.UserUnits(); err == nil {
		for _, name := range []string{"default.target.wants/betcode.service", "betcode.service"} {
			if path := filepath.Join(dir, name); isFile(path) {
				s.Unit = path
			}
		}
	}
	s.Lingering = login != "" && isFile(filepath.Join(system, "/var/lib/systemd/linger", filepath.Base(login)))
	return s
}
