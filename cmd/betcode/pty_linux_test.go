package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// asProgram is a variable that makes the test binary the program.
const asProgram = "BETCODE_TEST_AS_PROGRAM"

func init() {
	if os.Getenv(asProgram) != "" {
		main()
	}
}

// pty is a terminal and the person at it.
type pty struct {
	master, slave *os.File

	mu     sync.Mutex
	screen bytes.Buffer
}

func openPTY(t *testing.T) *pty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	p := &pty{master: master, slave: slave}
	var read sync.WaitGroup
	read.Go(func() {
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			p.mu.Lock()
			p.screen.Write(buffer[:n])
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() {
		slave.Close()
		read.Wait() // the master has no other end now
		master.Close()
	})
	return p
}

func (p *pty) shows() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.screen.String()
}

func (p *pty) awaits(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(p.shows(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%q is not on the screen:\n%s", text, p.shows())
		}
	}
}

func (p *pty) types(t *testing.T, text string) {
	t.Helper()
	if _, err := p.master.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// The terminal's own line editing cuts a line after 4,095 bytes.
func TestTerminalLongLine(t *testing.T) {
	p := openPTY(t)
	before, err := unix.IoctlGetTermios(int(p.slave.Fd()), getTermios)
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan line)
	r := newTerminalReader(p.slave, p.slave, lines)
	p.awaits(t, pasteOn)
	long := strings.Repeat("0123456789", 2000)
	go p.master.WriteString(pasteBegins + long + "\ny\n" + pasteEnds + "\n")
	select {
	case l := <-lines:
		if l.text != long+"\ny" || !l.pasted || l.tooLong {
			t.Errorf("got %d bytes, pasted %v", len(l.text), l.pasted)
		}
	case <-time.After(time.Minute):
		t.Fatal("no line")
	}
	p.types(t, "half")
	r.close()
	after, err := unix.IoctlGetTermios(int(p.slave.Fd()), getTermios)
	if err != nil || *after != *before {
		t.Errorf("the terminal's modes are not put back: %+v, %v", after, err)
	}
	p.awaits(t, pasteOff)
}

// In the background of a shell the program neither reads the terminal nor stops, and it
// does what it was told.
func TestRunInBackground(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no shell with job control")
	}
	d := serveFake(t, &fakeDaemon{talk: turnOf("The answer.")})
	p := openPTY(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("bash", "--norc", "--noprofile", "-c", `set -m; stty tostop; "$0" run hi & wait $!; echo "ended with $?"`, self)
	shell.Env = append(os.Environ(), asProgram+"=1")
	shell.Stdin, shell.Stdout, shell.Stderr = p.slave, p.slave, p.slave
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = shell.Process.Kill(); _ = shell.Wait() }()
	p.awaits(t, "ended with ")
	if !strings.Contains(p.shows(), "ended with 0") || !strings.Contains(p.shows(), "The answer.") {
		t.Errorf("on the screen:\n%s\nstarts %v", p.shows(), d.starts)
	}
}
