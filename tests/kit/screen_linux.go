package kit

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"
)

// Screen is an emulated terminal: it has the text that a person would see.
type Screen struct {
	*Terminal
	emulator *vt.SafeEmulator
	answers  sync.WaitGroup
}

// OpenScreen opens a terminal of the given size. The caller closes it.
func OpenScreen(columns, rows int) (*Screen, error) {
	s := &Screen{emulator: vt.NewSafeEmulator(columns, rows)}
	t, err := openTerminal(s.emulator)
	if err != nil {
		return nil, err
	}
	s.Terminal = t
	s.answers.Go(func() { // answers to queries of the program
		buffer := make([]byte, 256)
		for {
			n, err := s.emulator.Read(buffer)
			if err != nil {
				return
			}
			_, _ = t.master.Write(buffer[:n])
		}
	})
	return s, s.size(columns, rows)
}

func (s *Screen) size(columns, rows int) error {
	return unix.IoctlSetWinsize(int(s.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(columns), Row: uint16(rows)})
}

// Resize changes the size, as dragging the edge of a window does.
func (s *Screen) Resize(columns, rows int) error {
	s.emulator.Resize(columns, rows)
	return s.size(columns, rows)
}

// Shown returns the rows that are on the screen now, without blanks at their ends.
func (s *Screen) Shown() string {
	var rows []string
	for row := range strings.SplitSeq(s.emulator.String(), "\n") {
		rows = append(rows, strings.TrimRight(row, " "))
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

// Shows waits until a text is on the screen.
func (s *Screen) Shows(text string) error {
	return s.Until(fmt.Sprintf("%q is on it", text), func(shown string) bool { return strings.Contains(shown, text) })
}

// Until waits until the screen is as wanted.
func (s *Screen) Until(what string, wanted func(shown string) bool) error {
	for deadline := time.Now().Add(patience); !wanted(s.Shown()); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("the screen is not so that %s:\n%s", what, s.Shown())
		}
	}
	return nil
}

// Close ends the terminal. Its processes must have ended.
func (s *Screen) Close() error {
	err := s.Terminal.Close()
	_ = s.emulator.Close()
	s.answers.Wait()
	return err
}
