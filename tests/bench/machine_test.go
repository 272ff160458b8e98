//go:build linux

package bench

import (
	"bufio"
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

// facts describe the machine on which the figures were taken.
type facts struct {
	Processors int       `json:"processors"`
	Processor  string    `json:"processor"`
	Kernel     string    `json:"kernel"`
	Filesystem string    `json:"filesystem"`
	Go         string    `json:"go"`
	Sync       float64   `json:"fdatasync_p50_ms"` // of 4 KiB
	Load       string    `json:"load_average"`     // when the run began
	Time       time.Time `json:"time"`
}

func machineOf(dir string) facts {
	var name unix.Utsname
	_ = unix.Uname(&name) // an error leaves the name empty
	load, _ := os.ReadFile("/proc/loadavg")
	words := strings.Fields(string(load))
	return facts{
		Processors: runtime.NumCPU(), Processor: processor(), Kernel: unix.ByteSliceToString(name.Release[:]), Filesystem: filesystem(dir),
		Go: runtime.Version(), Sync: millis(syncTime(dir).Nanoseconds()), Load: strings.Join(words[:min(3, len(words))], " "), Time: time.Now().UTC(),
	}
}

// String returns the facts in the benchmark format: lines of the form "key: value". Facts that
// change from minute to minute are comments, since benchstat compares only results with equal keys.
func (f facts) String() string {
	s := fmt.Sprintf("machine: %d × %s\nkernel: %s\nfilesystem: %s\ngo: %s\n# fdatasync of 4 KiB: p50 %s ms; load average: %s\n",
		f.Processors, f.Processor, f.Kernel, f.Filesystem, f.Go, round(f.Sync), f.Load)
	if f.Filesystem == "tmpfs" {
		s += "# the journals are in memory: set TMPDIR to a directory on a disk\n"
	}
	return s
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

// syncTime returns the time of a small append with fdatasync, the unit of the journal's cost.
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
