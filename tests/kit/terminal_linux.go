package kit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ErrNoTerminal means that this machine has no pseudo-terminals.
var ErrNoTerminal = errors.New("no pseudo-terminals")

// Terminal is a pseudo-terminal and what is on its screen.
type Terminal struct {
	master, slave *os.File
	read          sync.WaitGroup

	mu     sync.Mutex
	screen bytes.Buffer
}

// OpenTerminal opens a terminal. The caller closes it.
func OpenTerminal() (*Terminal, error) { return openTerminal(io.Discard) }

// openTerminal also writes everything that is printed to another writer.
func openTerminal(also io.Writer) (*Terminal, error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoTerminal, err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("unlock terminal: %w", err), master.Close())
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrNoTerminal, err), master.Close())
	}
	t := &Terminal{master: master, slave: slave}
	t.read.Go(func() {
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			t.mu.Lock()
			t.screen.Write(buffer[:n])
			t.mu.Unlock()
			_, _ = also.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	})
	return t, nil
}

// Name returns the terminal's name as people know it: pts/3.
func (t *Terminal) Name() string { return strings.TrimPrefix(t.slave.Name(), "/dev/") }

// Start starts a command whose controlling terminal this is.
func (t *Terminal) Start(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.slave, t.slave, t.slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	return cmd.Start()
}

// Types sends text as a keyboard does.
func (t *Terminal) Types(text string) error {
	_, err := t.master.WriteString(text)
	return err
}

// Screen returns everything that was printed so far.
func (t *Terminal) Screen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.String()
}

// Awaits waits until the screen shows a text.
func (t *Terminal) Awaits(text string) error {
	for deadline := time.Now().Add(patience); !strings.Contains(t.Screen(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("%q is not on the screen:\n%s", text, t.Screen())
		}
	}
	return nil
}

// Close ends the terminal. Its processes must have ended.
func (t *Terminal) Close() error {
	err := t.slave.Close()
	t.read.Wait() // the master has no other end now
	return errors.Join(err, t.master.Close())
}
