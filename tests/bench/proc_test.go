//go:build linux

package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// usage has the resources that a process has used so far.
type usage struct {
	cpu      time.Duration // user and system, in the resolution of kernel ticks
	written  int64         // bytes sent towards the disk
	anon     int64         // bytes of anonymous memory, now
	switches int64         // voluntary context switches of its threads
	waited   time.Duration // ready to run, and without a processor, of all its threads
}

// tick is the unit of times in /proc: USER_HZ, which is 100 wherever Go runs.
const tick = 10 * time.Millisecond

func usageOf(pid int) (u usage, err error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return u, err
	}
	// The name, in parentheses, may hold anything; utime and stime are the twelfth
	// and thirteenth behind it.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return u, fmt.Errorf("read times of %d: %w", pid, err)
		}
		u.cpu += time.Duration(n) * tick
	}
	if u.written, err = number(filepath.Join(dir, "io"), "write_bytes:"); err != nil {
		return u, err
	}
	if u.anon, err = number(filepath.Join(dir, "status"), "RssAnon:"); err != nil {
		return u, err
	}
	u.anon *= 1024
	threads, err := filepath.Glob(filepath.Join(dir, "task", "*"))
	for _, thread := range threads {
		n, err := number(filepath.Join(thread, "status"), "voluntary_ctxt_switches:")
		if err != nil {
			return u, err
		}
		u.switches += n
		schedstat, err := os.ReadFile(filepath.Join(thread, "schedstat"))
		if err != nil {
			return u, err
		}
		var ran, waited int64
		if _, err := fmt.Sscan(string(schedstat), &ran, &waited); err != nil {
			return u, fmt.Errorf("read schedstat of %d: %w", pid, err)
		}
		u.waited += time.Duration(waited)
	}
	return u, err
}

// number returns the number after name, which begins a line of the file.
func number(path, name string) (int64, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(content)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no %q", path, name)
}

// since returns the usage since an earlier sample.
func (u usage) since(before usage) usage {
	return usage{cpu: u.cpu - before.cpu, written: u.written - before.written, anon: u.anon, switches: u.switches - before.switches, waited: u.waited - before.waited}
}
