package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: probe cross|victim|adopt|call|lines|reach ...")
		os.Exit(2)
	}
	var err error
	switch os.Args[1] {
	case "cross":
		err = cross(os.Args[2])
	case "victim":
		err = suffer(os.Args[2])
	case "adopt":
		err = adopt(os.Args[2:])
	case "call":
		err = call(os.Args[2], os.Args[3])
	case "lines":
		err = lines(os.Args[2], os.Args[3], os.Args[4])
	case "reach":
		err = reached(os.Args[2:])
	case "root": // cross, in a process of its own
		if err = unix.Chroot(os.Args[2]); err == nil && !opens("/file", unix.O_WRONLY) {
			err = unix.EACCES
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// cross tries all ways and records those that succeeded.
func cross(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var p plan
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	out, err := os.OpenFile(p.Out, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	runtime.LockOSThread() // a tracer is a thread
	for _, w := range ways {
		for name, pid := range w.over(p) {
			if w.try(p, pid) {
				fmt.Fprintf(out, "%s: %s\n", w.name, name)
			}
		}
	}
	_, err = fmt.Fprintln(out, "done")
	return err
}

// suffer writes down the signals that come. Its input is open for reading and writing, so
// that there is something to take.
func suffer(file string) error {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 64)
	signal.Notify(signals)
	fmt.Fprintln(out, "ready")
	for s := range signals {
		if s == syscall.SIGURG { // the runtime's own
			continue
		}
		fmt.Fprintln(out, unix.SignalName(s.(syscall.Signal)))
		if s == syscall.SIGTERM {
			return nil
		}
	}
	return nil
}

// adopt is the parent that the orphans below it get, in place of the agent's launcher. It
// leaves before the command runs, if the command waits for that.
func adopt(argv []string) error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	command := exec.Command("/bin/sh", append([]string{"-c", `setsid "$@" </dev/null >/dev/null 2>&1 &`, "sh"}, argv...)...)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	if err := command.Run(); err != nil {
		return err
	}
	for { // the orphan's parent, for as long as there is one
		if _, err := syscall.Wait4(-1, nil, 0, nil); err != nil && err != syscall.EINTR {
			return nil
		}
	}
}

// lines sends a line to a socket, and records the answer until the other end closes.
func lines(socket, line, file string) error {
	conn, err := net.DialTimeout("unix", socket, time.Minute)
	if err != nil {
		return os.WriteFile(file, []byte(err.Error()), 0o600)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	_, _ = conn.Write([]byte(line + "\n")) // the server may have closed the connection already
	_ = conn.(*net.UnixConn).CloseWrite()
	answer, _ := io.ReadAll(conn) // so far as it came
	return os.WriteFile(file, append(answer, '.'), 0o600)
}

func itoa(n int) string { return strconv.Itoa(n) }
