//go:build linux

package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// machine says what the figures were taken on. The lines in the form "key: value"
// are the benchmark format's; what changes from minute to minute is a comment,
// since benchstat compares only what has the same keys.
func machine(dir string) string {
	var b bytes.Buffer
	var name unix.Utsname
	_ = unix.Uname(&name) // an empty answer says it
	fmt.Fprintf(&b, "machine: %d × %s\n", runtime.NumCPU(), processor())
	fmt.Fprintf(&b, "kernel: %s\n", unix.ByteSliceToString(name.Release[:]))
	fmt.Fprintf(&b, "filesystem: %s\n", filesystem(dir))
	fmt.Fprintf(&b, "go: %s\n", runtime.Version())
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Fprintf(&b, "# fdatasync of 4 KiB: p50 %v; load average: %s\n", syncTime(dir).Round(time.Microsecond),
		strings.Join(strings.Fields(string(load))[:min(3, len(strings.Fields(string(load))))], " "))
	if filesystem(dir) == "tmpfs" {
		fmt.Fprintln(&b, "# the journals are in memory: set TMPDIR to a directory on a disk")
	}
	return b.String()
}

func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func filesystem(dir string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return err.Error()
	}
	known := map[int64]string{
		unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs",
		unix.TMPFS_MAGIC: "tmpfs", unix.OVERLAYFS_SUPER_MAGIC: "overlay", unix.F2FS_SUPER_MAGIC: "f2fs",
	}
	return cmp.Or(known[s.Type], fmt.Sprintf("%#x", s.Type))
}

// syncTime is what a small append and fdatasync takes: the clock of the journal.
func syncTime(dir string) time.Duration {
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return 0
	}
	defer f.Close()
	page := make([]byte, 4096)
	var took []time.Duration
	for range 100 {
		began := time.Now()
		if _, err := f.Write(page); err != nil {
			return 0
		}
		if err := unix.Fdatasync(int(f.Fd())); err != nil {
			return 0
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2]
}
