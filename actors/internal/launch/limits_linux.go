package launch

import (
	"runtime"
	"syscall"
	"unsafe"
)

// Landlock restricts signals, but the kernel sends SIGKILL to a process that is over its
// limit of processor time, and every process of the same user may set that limit (prlimit).
// So a fence also has a filter of system calls: a fenced process sets no limits of another one.

// limitCalls are the ways to call prlimit64 on an architecture: the architecture of the system
// call for seccomp, and its number there. Programs of 32 bits have others.
var limitCalls = map[string][][2]uint32{
	"amd64":   {{0xc000003e, 302}, {0xc000003e, 302 | 1<<30}, {0x40000003, 340}},
	"arm64":   {{0xc00000b7, 261}, {0x40000028, 369}},
	"riscv64": {{0xc00000f3, 261}},
	"loong64": {{0xc0000102, 261}},
}

// Offsets in the kernel's struct seccomp_data, on little-endian machines.
const (
	callNumber, callArch = 0, 4
	callPID              = 16 // the lower half, which is the whole pid
	callLimits           = 32 // the address of the new limits: both halves
)

// instruction is one of the kernel's struct sock_filter.
type instruction struct {
	code     uint16
	yes, not uint8 // how many to skip
	k        uint32
}

const (
	load   = 0x20 // BPF_LD | BPF_W | BPF_ABS
	equals = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
	result = 0x06 // BPF_RET | BPF_K

	resultAllow = 0x7fff0000 // SECCOMP_RET_ALLOW
	resultError = 0x00050000 // SECCOMP_RET_ERRNO

	setSeccomp    = 22 // PR_SET_SECCOMP
	seccompFilter = 2  // SECCOMP_MODE_FILTER
)

// limitFilter refuses calls that set limits of a named process. A pid of zero is the caller,
// with which programs set their own.
func limitFilter(calls [][2]uint32) []instruction {
	var filter []instruction
	for i, c := range calls {
		check := uint8(4*(len(calls)-i-1) + 1)
		filter = append(filter,
			instruction{load, 0, 0, callArch}, instruction{equals, 0, 2, c[0]},
			instruction{load, 0, 0, callNumber}, instruction{equals, check, 0, c[1]})
	}
	return append(filter,
		instruction{result, 0, 0, resultAllow},
		instruction{load, 0, 0, callLimits}, instruction{equals, 0, 2, 0},
		instruction{load, 0, 0, callLimits + 4}, instruction{equals, 2, 0, 0}, // the call only reads
		instruction{load, 0, 0, callPID}, instruction{equals, 0, 1, 0},
		instruction{result, 0, 0, resultAllow},
		instruction{result, 0, 0, resultError | uint32(syscall.EPERM)})
}

// keepLimits filters the calls of the calling thread, which has given up new privileges,
// and of its children. Architectures that are not listed have no filter.
func keepLimits() syscall.Errno {
	calls := limitCalls[runtime.GOARCH]
	if len(calls) == 0 {
		return 0
	}
	filter := limitFilter(calls)
	program := struct {
		length uint16
		filter *instruction
	}{uint16(len(filter)), &filter[0]}
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setSeccomp, seccompFilter, uintptr(unsafe.Pointer(&program)))
	return errno
}
