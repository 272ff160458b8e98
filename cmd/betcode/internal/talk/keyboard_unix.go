//go:build unix

package talk

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"betcode/cmd/betcode/internal/console"
)

// terminalModes reports that keys can be read one by one on this system.
const terminalModes = true

// backgroundPoll is how often a process in the background checks whether it is in the foreground.
const backgroundPoll = 200 * time.Millisecond

// terminalReader reads the keys of a terminal while this process is in its foreground. In the background it neither reads
// the terminal nor changes its modes, because both would stop the process.
type terminalReader struct {
	in     *os.File
	screen io.Writer
	lines  chan<- Line
	wake   *os.File // closed to end the goroutine
	ended  chan struct{}

	mu     sync.Mutex
	editor editor

	former *unix.Termios // modes to restore; nil while they are not changed
}

func newTerminalReader(in *os.File, screen io.Writer, lines chan<- Line) *terminalReader {
	console.IgnoreTerminalStops()
	r := &terminalReader{in: in, screen: screen, lines: lines, ended: make(chan struct{})}
	woken, wake, err := os.Pipe()
	if err != nil {
		close(lines)
		close(r.ended)
		return r
	}
	r.wake = wake
	go r.run(woken)
	return r
}

// close restores the modes of the terminal.
func (r *terminalReader) close() {
	if r.wake != nil {
		r.wake.Close()
	}
	<-r.ended
}

func (r *terminalReader) discard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.editor = editor{last: r.editor.last}
}

func (r *terminalReader) redraw(w io.Writer, prompt string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = io.WriteString(w, prompt+console.Text(string(r.editor.text)))
}

// run reads keys until the terminal ends or close is called.
func (r *terminalReader) run(woken *os.File) {
	defer close(r.ended)
	defer woken.Close()
	defer close(r.lines)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGTSTP, unix.SIGTERM, unix.SIGHUP)
	defer signal.Stop(signals)
	defer r.restore()
	fds := []unix.PollFd{{Fd: int32(woken.Fd()), Events: unix.POLLIN}, {Fd: int32(r.in.Fd()), Events: unix.POLLIN}}
	for {
		select {
		case s := <-signals:
			r.signalled(s.(syscall.Signal))
		default:
		}
		watched := fds[:1]
		if console.InForeground(r.in) {
			r.change()
			watched = fds
		} else {
			r.former = nil // the terminal has the shell's modes now
		}
		n, err := unix.Poll(watched, int(backgroundPoll/time.Millisecond))
		switch {
		case n < 0 && !errors.Is(err, unix.EINTR), n > 0 && fds[0].Revents != 0:
			return
		case n <= 0 || len(watched) < 2 || fds[1].Revents == 0 || !console.InForeground(r.in):
			continue
		}
		if !r.read(woken) {
			return
		}
	}
}

// read reads what the terminal has. It reports whether there may be more.
func (r *terminalReader) read(woken *os.File) bool {
	chunk := make([]byte, 64<<10)
	n, err := unix.Read(int(r.in.Fd()), chunk)
	switch {
	case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EIO) && !console.InForeground(r.in):
		return true
	case err != nil || n == 0:
		return false
	}
	r.mu.Lock()
	out := r.editor.feed(chunk[:n], time.Now())
	_, _ = r.screen.Write(out.echo)
	r.mu.Unlock()
	for _, l := range out.lines {
		if !r.hand(l, woken) {
			return false
		}
	}
	return !out.ended
}

// hand sends a line, unless close is called. It reports whether it did.
func (r *terminalReader) hand(l Line, woken *os.File) bool {
	for {
		select {
		case r.lines <- l:
			return true
		case <-time.After(backgroundPoll):
		}
		fds := []unix.PollFd{{Fd: int32(woken.Fd()), Events: unix.POLLIN}}
		if n, _ := unix.Poll(fds, 0); n > 0 {
			return false
		}
	}
}

// change makes the terminal send single keys and mark pasted text.
func (r *terminalReader) change() {
	if r.former != nil {
		return
	}
	modes, err := unix.IoctlGetTermios(int(r.in.Fd()), getTermios)
	if err != nil {
		return
	}
	former := *modes
	modes.Lflag &^= unix.ICANON | unix.ECHO | unix.IEXTEN
	modes.Cc[unix.VMIN], modes.Cc[unix.VTIME] = 1, 0
	if unix.IoctlSetTermios(int(r.in.Fd()), setTermios, modes) == nil {
		r.former = &former
		_, _ = io.WriteString(r.screen, pasteOn)
	}
}

// restore restores the modes, unless another process has the terminal now.
func (r *terminalReader) restore() {
	if r.former != nil && console.InForeground(r.in) {
		_, _ = io.WriteString(r.screen, pasteOff)
		_ = unix.IoctlSetTermios(int(r.in.Fd()), setTermios, r.former)
	}
	r.former = nil
}

// signalled restores the modes before the process stops or ends.
func (r *terminalReader) signalled(s syscall.Signal) {
	r.restore()
	if s == unix.SIGTSTP {
		s = unix.SIGSTOP // SIGTSTP itself is caught
	} else {
		signal.Reset(s)
	}
	_ = unix.Kill(os.Getpid(), s)
}
