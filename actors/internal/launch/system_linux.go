package launch

import (
	"syscall"
	"unsafe"
)

// Numbers that package syscall does not have.
const (
	closeRange     = 436 // SYS_CLOSE_RANGE, the same on every architecture
	setName        = 15  // PR_SET_NAME
	setDumpable    = 4   // PR_SET_DUMPABLE
	setSubreaper   = 36  // PR_SET_CHILD_SUBREAPER
	setTHPDisable  = 41  // PR_SET_THP_DISABLE
	getTHPDisable  = 42  // PR_GET_THP_DISABLE
	signalDefault  = 0
	signalIgnore   = 1
	lastSignal     = 64
	signalSetBytes = 8
)

// shielded are the signals that do not end a launcher.
var shielded = [...]syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE}

// prepare makes this process a launcher.
//
// The agent is to have default signals. The Go runtime resets, in the child,
// each signal it has a handler for: these can be ignored at once. A signal that this
// process inherited as ignored (nohup) would be passed on: it is set to the default, and
// ignored only when the agent has started.
func prepare() {
	for sig := syscall.Signal(1); sig <= lastSignal; sig++ {
		if sig != syscall.SIGKILL && sig != syscall.SIGSTOP && action(sig) == signalIgnore {
			setAction(sig, signalDefault)
		}
	}
	for _, sig := range shielded {
		if action(sig) > signalIgnore {
			setAction(sig, signalIgnore)
		}
	}
	syscall.CloseOnExec(LockFD)
	syscall.CloseOnExec(ReportFD)
	// Descriptors that the daemon itself inherited from its parent.
	_, _, _ = syscall.RawSyscall(closeRange, ReportFD+1, ^uintptr(0), 0)
	name := [16]byte{}
	copy(name[:15], Name)
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setName, uintptr(unsafe.Pointer(&name)), 0)
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setSubreaper, 1, 0)
	// The agent's descendants run as the same user; they must not trace this process, nor take its descriptors.
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 0, 0)
}

// contain has a child start in a control group, before it executes
// anything.
func contain(sys *syscall.SysProcAttr, group string) bool {
	if group == "" {
		return false
	}
	fd, err := syscall.Open(group, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	sys.UseCgroupFD, sys.CgroupFD = true, fd // it stays open, because a launcher has few descriptors
	return true
}

func uncontain(sys *syscall.SysProcAttr) { sys.UseCgroupFD = false }

// shield is called when the agent has been forked.
func shield() {
	for _, sig := range shielded {
		setAction(sig, signalIgnore)
	}
}

// smallPages makes the kernel give this process pages of 4 KB. Where it gives out huge
// pages by default, each of the runtime's arenas costs 2 MB, and some exist by now.
// So this program is executed again, with huge pages disabled, which hugePages undoes
// for the agent.
func smallPages(mark string, argv []string) {
	if mark == markSmall || mark != markHuge && !always(read("/sys/kernel/mm/transparent_hugepage/enabled")) {
		return
	}
	forbidden, _, _ := syscall.RawSyscall6(syscall.SYS_PRCTL, getTHPDisable, 0, 0, 0, 0, 0)
	if forbidden != 0 {
		return // disabled by the parent of the daemon, and so for the agent too
	}
	hugePages(false)
	env := syscall.Environ()
	for i, e := range env {
		if hasPrefix(e, Marker+"=") {
			env[i] = Marker + "=" + markSmall
		}
	}
	_ = syscall.Exec("/proc/self/exe", argv, env)
	hugePages(true) // it failed: continue with huge pages
}

func always(setting []byte) bool { return len(setting) > 0 && hasPrefix(string(setting), "[always]") }

// hugePages allows or forbids huge pages for this process and its children.
func hugePages(allowed bool) {
	forbid := uintptr(1)
	if allowed {
		forbid = 0
	}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRCTL, setTHPDisable, forbid, 0, 0, 0, 0)
}

// The kernel's struct sigaction begins with the handler; the rest, of various
// sizes, may be zero.
type sigaction [8]uintptr

func action(sig syscall.Signal) uintptr {
	var old sigaction
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), 0, uintptr(unsafe.Pointer(&old)), signalSetBytes, 0, 0)
	return old[0]
}

func setAction(sig syscall.Signal, handler uintptr) {
	act := sigaction{handler}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&act)), 0, signalSetBytes, 0, 0)
}

// arguments returns the arguments of this process. Package os, which has them, is
// not initialised yet.
func arguments() []string {
	return split(read("/proc/self/cmdline"))
}

// BootID identifies the boot of this machine that [StartTime] counts from.
func BootID() string {
	id := read("/proc/sys/kernel/random/boot_id")
	for len(id) > 0 && id[len(id)-1] == '\n' {
		id = id[:len(id)-1]
	}
	return string(id)
}

// StartTime returns when a process started, in clock ticks after boot, and 0 if
// there is no such process.
func StartTime(pid int) uint64 {
	return field22(read(path(pid)))
}

func path(pid int) string {
	return string(append(digits(append([]byte(nil), "/proc/"...), uint64(pid)), "/stat"...))
}

// field22 returns the start time in a stat file. The second field is the name of
// the program in parentheses, and may contain anything.
func field22(stat []byte) uint64 {
	i := len(stat) - 1
	for i >= 0 && stat[i] != ')' {
		i--
	}
	number, value := 2, uint64(0)
	for _, c := range stat[i+1:] {
		switch {
		case c == ' ' || c == '\n':
			if number == 22 {
				return value
			}
			number++
		case number == 22 && '0' <= c && c <= '9':
			value = value*10 + uint64(c-'0')
		}
	}
	return 0
}

func split(b []byte) []string {
	var all []string
	for from, i := 0, 0; i < len(b); i++ {
		if b[i] == 0 {
			all, from = append(all, string(b[from:i])), i+1
		}
	}
	return all
}

// read returns the content of a file of /proc, nothing if it cannot be read.
func read(path string) []byte {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	b := make([]byte, 0, 2048)
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := syscall.Read(fd, b[len(b):cap(b)])
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return b
		}
		b = b[:len(b)+n]
	}
}
