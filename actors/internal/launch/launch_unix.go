//go:build unix

package launch

import "syscall"

// Before everything else: see the package comment.
func init() {
	mark, marked := syscall.Getenv(Marker)
	if !marked {
		return
	}
	argv := arguments()
	if len(argv) == 0 || argv[0] != Name {
		return
	}
	smallPages(mark, argv)
	p, ok := parse(argv, syscall.Environ())
	if !ok {
		syscall.Exit(2)
	}
	syscall.Exit(run(p, mark))
}

// run does all of the launcher's work. It returns its exit code, which nothing reads: the
// records have the results.
func run(p Params, mark string) int {
	prepare()
	started := Started{
		Format:   Format,
		BootID:   BootID(),
		Launcher: Process{syscall.Getpid(), StartTime(syscall.Getpid())},
	}

	// The exit record first: its space is needed longest.
	end, errno := reserve(p.Run + "/" + EndedFile)
	begin, err := reserve(p.Run + "/" + StartedFile)
	if errno == 0 {
		errno = err
	}
	if errno != 0 {
		report(started.failed(StageRecord, errno).encode())
		return 1
	}

	if mark == markSmall {
		hugePages(true) // for the agent; the launcher had disabled them
	}
	started = start(p, started)
	hugePages(false)
	words := started.encode()
	begin.commit(words)
	if started.Agent.PID == 0 {
		_ = syscall.Unlink(end.path + temporary)
		report(words)
		return 1
	}
	report(words)

	release()
	end.commit(wait(keepVigil(started.Agent.PID, p)).encode())
	return 0
}

// start starts the agent and completes the record.
func start(p Params, s Started) Started {
	if errno := enter(p); errno != 0 {
		return s.failed(StageDirectory, errno)
	}
	attr := &syscall.ProcAttr{Env: p.Env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true}}
	fork := func() (int, Stage, error) {
		if len(p.Fence) > 0 {
			return forkFenced(p, attr)
		}
		pid, err := syscall.ForkExec(p.Program, p.Argv, attr)
		return pid, StageExecute, err
	}
	contained := contain(attr.Sys, p.Cgroup)
	pid, stage, err := fork()
	if err != nil && contained && stage == StageExecute {
		uncontain(attr.Sys) // not permitted, or an old kernel: start without a group
		pid, stage, err = fork()
	}
	shield()
	_ = syscall.Chdir("/") // so that the directory can be removed and the disk unmounted
	if err != nil {
		return s.failed(stage, number(err))
	}
	s.Agent = Process{pid, StartTime(pid)}
	return s
}

// release closes the agent's streams: the FIFO must have no reader when the agent has
// ended.
func release() {
	for fd := range 3 {
		syscall.Close(fd)
	}
	for range 3 {
		_, _ = syscall.Open("/dev/null", syscall.O_RDWR, 0) // takes the lowest number free
	}
}

// wait waits for the agent and reaps every orphan that ends before it.
func wait(v vigil) Ended {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, v.options(), nil)
		switch {
		case err == syscall.EINTR:
		case err != nil: // ECHILD: another thread reaped it, which cannot happen
			return Ended{Format: Format, Code: 255, At: now()}
		case pid == 0:
			v.sleep()
		case pid != v.agent:
		case status.Signaled():
			return Ended{Format: Format, Signal: int(status.Signal()), At: now(), Reason: v.reason}
		case status.Exited():
			return Ended{Format: Format, Code: status.ExitStatus(), At: now(), Reason: v.reason}
		}
	}
}

// report writes words to the daemon, which may have ended, and closes the pipe.
func report(words []byte) {
	for len(words) > 0 {
		n, err := syscall.Write(ReportFD, words)
		if err != nil && err != syscall.EINTR {
			break
		}
		words = words[max(n, 0):]
	}
	syscall.Close(ReportFD)
}

// number returns the system's number of an error, zero if there is none.
func number(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	if errno, ok := err.(syscall.Errno); ok { //nolint:errorlint // syscall returns bare numbers, and errors is one import more
		return errno
	}
	return syscall.EIO
}

func now() int64 {
	var tv syscall.Timeval
	_ = syscall.Gettimeofday(&tv)
	return int64(tv.Sec)*1000 + int64(tv.Usec)/1000 //nolint:unconvert // both are 32 bits wide on some systems
}
