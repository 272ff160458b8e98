package ptytest

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// PTY is a terminal, and the person at it.
type PTY struct {
	Master, Slave *os.File

	mu     sync.Mutex
	screen bytes.Buffer
}

// Open opens a terminal for a test. It skips the test where there are none.
func Open(t *testing.T) *PTY {
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
	p := &PTY{Master: master, Slave: slave}
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

// Shows returns what is on the screen.
func (p *PTY) Shows() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.screen.String()
}

// Awaits waits until a text is on the screen.
func (p *PTY) Awaits(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(p.Shows(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%q is not on the screen:\n%s", text, p.Shows())
		}
	}
}

// Type presses keys.
func (p *PTY) Type(t *testing.T, text string) {
	t.Helper()
	if _, err := p.Master.WriteString(text); err != nil {
		t.Fatal(err)
	}
}
