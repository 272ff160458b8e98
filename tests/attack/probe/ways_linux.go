package main

import (
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// way is one way out of a fence. It is tried on each target, or once if it has no pid.
type way struct {
	name string
	once bool
	try  func(p plan, pid int) bool
}

func (w way) over(p plan) map[string]int {
	if w.once {
		return map[string]int{"outside": p.Victim}
	}
	return p.Targets
}

// ways are sorted by the restriction that they bypass.
var ways = []way{
	{name: "kill", try: func(_ plan, pid int) bool { return unix.Kill(pid, 0) == nil }},
	{name: "tgkill", try: func(_ plan, pid int) bool { return unix.Tgkill(pid, pid, 0) == nil }},
	{name: "kill of a process group", try: func(_ plan, pid int) bool {
		group, err := unix.Getpgid(pid)
		return err == nil && group > 1 && group != unix.Getpgrp() && unix.Kill(-group, 0) == nil
	}},
	{name: "pidfd_send_signal", try: func(_ plan, pid int) bool {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			return false
		}
		defer unix.Close(fd)
		return unix.PidfdSendSignal(fd, 0, nil, 0) == nil
	}},
	{name: "rt_sigqueueinfo", try: func(_ plan, pid int) bool {
		var info [128]byte
		*(*int32)(unsafe.Pointer(&info[8])) = -1 // si_code: SI_QUEUE
		_, _, errno := unix.Syscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(pid), 0, uintptr(unsafe.Pointer(&info[0])))
		return errno == 0
	}},
	{name: "signals of a descriptor that a process owns", once: true, try: owned},
	{name: "prlimit, so that the kernel kills", try: func(_ plan, pid int) bool {
		var now unix.Rlimit // the same values again: permitted or not, nothing changes
		if unix.Prlimit(pid, unix.RLIMIT_CPU, nil, &now) != nil {
			return false
		}
		return unix.Prlimit(pid, unix.RLIMIT_CPU, &now, nil) == nil
	}},
	{name: "ptrace", try: func(_ plan, pid int) bool {
		if unix.PtraceSeize(pid) != nil {
			return false
		}
		_ = unix.PtraceDetach(pid)
		return true
	}},
	{name: "process_vm_writev", try: func(_ plan, pid int) bool {
		var b [1]byte
		local := []unix.Iovec{{Base: &b[0], Len: 1}}
		_, err := unix.ProcessVMWritev(pid, local, []unix.RemoteIovec{{Base: 0, Len: 1}}, 0)
		return err == nil || err == unix.EFAULT // the address is nonsense: the kernel had let us through
	}},
	{name: "pidfd_getfd", try: func(_ plan, pid int) bool {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			return false
		}
		defer unix.Close(fd)
		got, err := unix.PidfdGetfd(fd, 0, 0)
		if err == nil {
			unix.Close(got)
		}
		return err == nil
	}},
	{name: "memory in /proc", try: func(_ plan, pid int) bool { return opens(proc(pid, "mem"), unix.O_RDWR) }},
	{name: "score for the killer of processes without memory", try: func(_ plan, pid int) bool {
		return opens(proc(pid, "oom_score_adj"), unix.O_WRONLY)
	}},
	{name: "descriptors in /proc", try: func(_ plan, pid int) bool {
		links, _ := filepath.Glob(proc(pid, "fd/*"))
		for _, l := range links {
			target, _ := os.Readlink(l)
			if info, err := os.Stat(l); err == nil && filepath.IsAbs(target) && info.Mode()&os.ModeDevice == 0 && opens(l, unix.O_WRONLY|unix.O_NONBLOCK) {
				return true
			}
		}
		return false
	}},
	{name: "another agent's input", once: true, try: func(p plan, _ int) bool { return opens(p.Fifo, unix.O_WRONLY|unix.O_NONBLOCK) }},
	{name: "O_TMPFILE outside", once: true, try: func(p plan, _ int) bool { return opens(p.Away, unix.O_TMPFILE|unix.O_RDWR) }},
	{name: "O_TMPFILE inside, linked outside", once: true, try: func(p plan, _ int) bool {
		fd, err := unix.Open(p.Inside, unix.O_TMPFILE|unix.O_RDWR, 0o600)
		if err != nil {
			return false
		}
		defer unix.Close(fd)
		return unix.Linkat(unix.AT_FDCWD, proc(0, "fd/")+itoa(fd), unix.AT_FDCWD, p.Away+"/tmpfile", unix.AT_SYMLINK_FOLLOW) == nil ||
			unix.Linkat(fd, "", unix.AT_FDCWD, p.Away+"/tmpfile", unix.AT_EMPTY_PATH) == nil
	}},
	{name: "a link by a descriptor", once: true, try: func(p plan, _ int) bool {
		fd, err := unix.Open(p.Away+"/file", unix.O_RDONLY, 0)
		if err != nil {
			return false
		}
		defer unix.Close(fd)
		return unix.Linkat(unix.AT_FDCWD, proc(0, "fd/")+itoa(fd), unix.AT_FDCWD, p.Inside+"/linked", unix.AT_SYMLINK_FOLLOW) == nil ||
			unix.Linkat(fd, "", unix.AT_FDCWD, p.Inside+"/linked", unix.AT_EMPTY_PATH) == nil
	}},
	{name: "a descriptor that is opened again", once: true, try: func(p plan, _ int) bool {
		fd, err := unix.Open(p.Away+"/file", unix.O_RDONLY, 0)
		if err != nil {
			return false
		}
		defer unix.Close(fd)
		return opens(proc(0, "fd/")+itoa(fd), unix.O_WRONLY) || opens("/dev/fd/"+itoa(fd), unix.O_WRONLY)
	}},
	{name: "a file opened for reading and emptied", once: true, try: func(p plan, _ int) bool {
		return opens(p.Away+"/file", unix.O_RDONLY|unix.O_TRUNC)
	}},
	{name: "a file below a descriptor of its directory", once: true, try: func(p plan, _ int) bool {
		fd, err := unix.Open(p.Away, unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			return false
		}
		defer unix.Close(fd)
		file, err := unix.Openat(fd, "file", unix.O_WRONLY, 0)
		if err == nil {
			unix.Close(file)
		}
		return err == nil
	}},
	{name: "a root of its own", once: true, try: rooted},
	{name: "a mount", once: true, try: mounted},
	{name: "a copy of a mount", once: true, try: cloned},
}

// owned has the kernel send signals for a descriptor, to a process that is made its owner.
func owned(p plan, _ int) bool {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return false
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	if _, err := unix.FcntlInt(uintptr(pair[0]), unix.F_SETSIG, int(unix.SIGUSR1)); err != nil {
		return false
	}
	if _, err := unix.FcntlInt(uintptr(pair[0]), unix.F_SETOWN, p.Victim); err != nil {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(pair[0]), unix.F_GETFL, 0)
	if err == nil {
		_, err = unix.FcntlInt(uintptr(pair[0]), unix.F_SETFL, flags|unix.O_ASYNC)
	}
	if err == nil {
		_, _ = unix.Write(pair[1], []byte("x")) // only the victim knows whether it took effect
	}
	time.Sleep(10 * time.Millisecond) // the victim reports the signal at the end
	return false
}

// rooted makes the directory outside the root of a thread's paths.
func rooted(p plan, _ int) bool {
	child, err := os.StartProcess("/proc/self/exe", []string{"probe", "root", p.Away}, &os.ProcAttr{})
	if err != nil {
		return false
	}
	state, err := child.Wait()
	return err == nil && state.Success()
}

// mounted mounts the directory outside into the one inside.
func mounted(p plan, _ int) bool {
	place := p.Inside + "/mounted"
	_ = os.Mkdir(place, 0o700)
	if unix.Mount(p.Away, place, "", unix.MS_BIND, "") != nil {
		return false
	}
	defer func() { _ = unix.Unmount(place, 0) }()
	return opens(place+"/file", unix.O_WRONLY)
}

// cloned opens the file below a copy of its mount that is mounted nowhere, and moves the
// copy into the directory inside.
func cloned(p plan, _ int) bool {
	fd, err := unix.OpenTree(unix.AT_FDCWD, p.Away, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	if file, err := unix.Openat(fd, "file", unix.O_WRONLY, 0); err == nil {
		unix.Close(file)
		return true
	}
	place := p.Inside + "/moved"
	_ = os.Mkdir(place, 0o700)
	if unix.MoveMount(fd, "", unix.AT_FDCWD, place, unix.MOVE_MOUNT_F_EMPTY_PATH) != nil {
		return false
	}
	defer func() { _ = unix.Unmount(place, 0) }()
	return opens(place+"/file", unix.O_WRONLY)
}

func opens(path string, flags int) bool {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC|unix.O_NOCTTY, 0o600)
	if err == nil {
		unix.Close(fd)
	}
	return err == nil
}

// proc is a file of a process, of the probe itself if pid is zero.
func proc(pid int, name string) string {
	if pid == 0 {
		return "/proc/self/" + name
	}
	return "/proc/" + itoa(pid) + "/" + name
}
