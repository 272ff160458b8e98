package talk

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"betcode/cmd/betcode/internal/ptytest"
)

// TestTerminalLongLine checks that a pasted line of any length arrives whole: the terminal's own line editing cuts lines
// after 4,095 bytes.
func TestTerminalLongLine(t *testing.T) {
	p := ptytest.Open(t)
	before, err := unix.IoctlGetTermios(int(p.Slave.Fd()), getTermios)
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan Line)
	r := newTerminalReader(p.Slave, p.Slave, lines)
	p.Awaits(t, pasteOn)
	long := strings.Repeat("0123456789", 2000)
	go p.Master.WriteString(pasteBegins + long + "\ny\n" + pasteEnds + "\n")
	select {
	case l := <-lines:
		if l.text != long+"\ny" || !l.pasted || l.tooLong {
			t.Errorf("got %d bytes, pasted %v", len(l.text), l.pasted)
		}
	case <-time.After(time.Minute):
		t.Fatal("no line")
	}
	p.Type(t, "half")
	r.close()
	after, err := unix.IoctlGetTermios(int(p.Slave.Fd()), getTermios)
	if err != nil || *after != *before {
		t.Errorf("the terminal's modes are not put back: %+v, %v", after, err)
	}
	p.Awaits(t, pasteOff)
}
