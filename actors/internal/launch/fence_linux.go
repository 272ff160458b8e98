package launch

import (
	"runtime"
	"syscall"
	"unsafe"
)

// Numbers that package syscall does not have.
const (
	createRuleset = 444 // SYS_LANDLOCK_CREATE_RULESET; this and the next are the same on every architecture
	addRule       = 445 // SYS_LANDLOCK_ADD_RULE
	restrictSelf  = 446 // SYS_LANDLOCK_RESTRICT_SELF
	pathBeneath   = 1   // LANDLOCK_RULE_PATH_BENEATH
	noNewPrivs    = 38  // PR_SET_NO_NEW_PRIVS
	openPath      = 0x200000

	openat2        = 437  // SYS_OPENAT2, as above
	resolveNoLinks = 0x04 // RESOLVE_NO_SYMLINKS

	versionFlag = 1 // LANDLOCK_CREATE_RULESET_VERSION
)

// Rights of Landlock, and the versions of its interface that have them.
const (
	fsWriteFile, fsTruncate = 1 << 1, 1 << 14
	fsRefer                 = 1 << 13
	// Removing and making entries of every kind, in between.
	fsEntries = 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<8 | 1<<9 | 1<<10 | 1<<11 | 1<<12

	fsWrites = fsWriteFile | fsTruncate | fsRefer | fsEntries

	scopeSignal = 1 << 1

	abiTruncate = 3
	abiSignals  = 6
)

// FenceVersion returns the version of the kernel's Landlock interface, zero if it has
// none or it is turned off.
func FenceVersion() int {
	version, _, err := syscall.RawSyscall(createRuleset, 0, 0, versionFlag)
	if err != 0 {
		return 0
	}
	return int(version)
}

// forkFenced starts the agent within a fence: the agent and its descendants write only below
// the paths, from [FenceSignals] on send no signals outside, and set no limits of
// another process.
//
// A fence belongs to a thread and is inherited by its children. The thread that
// is fenced here ends with its goroutine, which never unlocks it. The launcher itself
// stays unfenced, so that it can record how the agent ended.
func forkFenced(p Params, attr *syscall.ProcAttr) (pid int, stage Stage, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if errno := enclose(p.Fence); errno != 0 {
			stage, err = StageFence, errno
			return
		}
		stage = StageExecute
		pid, err = syscall.ForkExec(p.Program, p.Argv, attr)
	}()
	<-done
	return pid, stage, err
}

// enclose fences the calling thread.
func enclose(writable []string) syscall.Errno {
	version := FenceVersion()
	if version < abiTruncate {
		return syscall.EOPNOTSUPP
	}
	attr := struct{ fs, net, scope uint64 }{fs: fsWrites}
	if version >= abiSignals {
		attr.scope = scopeSignal
	}
	rules, _, errno := syscall.RawSyscall(createRuleset, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return errno
	}
	for _, path := range writable {
		if errno := allow(rules, path); errno != 0 && errno != syscall.ENOENT {
			return errno // a path that does not exist is not writable either
		}
	}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	_, _, errno = syscall.RawSyscall(restrictSelf, rules, 0, 0)
	syscall.Close(int(rules))
	if errno != 0 {
		return errno
	}
	return keepLimits()
}

// openPlace opens a path that had no symbolic link when the fence was planned.
// It refuses one that has a link now.
func openPlace(path string) (int, syscall.Errno) {
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return -1, number(err)
	}
	how := struct{ flags, mode, resolve uint64 }{flags: openPath | syscall.O_CLOEXEC, resolve: resolveNoLinks}
	here := -100 // AT_FDCWD
	fd, _, errno := syscall.RawSyscall6(openat2, uintptr(here), uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	return int(fd), errno
}

// enter changes to the agent's directory. That of a fenced agent is a path without symbolic
// links, like the paths of its fence: enter refuses a link that another agent has put there
// since the daemon's check.
func enter(p Params) syscall.Errno {
	if len(p.Fence) == 0 {
		return number(syscall.Chdir(p.Dir))
	}
	fd, errno := openPlace(p.Dir)
	if errno != 0 {
		return errno
	}
	defer syscall.Close(fd)
	return number(syscall.Fchdir(fd))
}

// allow allows writes to a file, or below a directory.
func allow(rules uintptr, path string) syscall.Errno {
	fd, errno := openPlace(path)
	if errno != 0 {
		return errno
	}
	defer syscall.Close(fd)
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil {
		return number(err)
	}
	rule := struct {
		rights uint64
		fd     int32
	}{fsWrites, int32(fd)}
	if info.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		rule.rights = fsWriteFile | fsTruncate
	}
	_, _, errno = syscall.RawSyscall6(addRule, rules, pathBeneath, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	return errno
}
