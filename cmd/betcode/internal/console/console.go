package console

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

// Console has the three standard streams of a command and the properties of the terminal. Data goes to standard output;
// messages for a person go to standard error.
type Console struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Terminal       Terminal
	interrupts     <-chan os.Signal // replaces Ctrl-C in tests; nil: signals of the system
}

// New detects which streams are terminals. interrupts replaces Ctrl-C; nil is Ctrl-C itself.
func New(stdin io.Reader, stdout, stderr io.Writer, interrupts <-chan os.Signal) *Console {
	c := &Console{Stdin: stdin, Stdout: stdout, Stderr: stderr, interrupts: interrupts, Terminal: lookAt(stdin, stdout, stderr)}
	if !c.Terminal.Out {
		c.Stdout = &sink{w: stdout}
	}
	return c
}

// Say writes a line for a person to standard error.
func (c *Console) Say(format string, args ...any) {
	fmt.Fprintf(c.Stderr, format+"\n", args...)
}

// Confirm asks a person a yes-or-no question. An empty line means byDefault.
func (c *Console) Confirm(question string, byDefault bool) bool {
	choice := "[y/N]"
	if byDefault {
		choice = "[Y/n]"
	}
	fmt.Fprintf(c.Stderr, "%s %s ", question, choice)
	line, err := bufio.NewReader(c.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	case "":
		return byDefault && err == nil
	default:
		return false
	}
}

// Attended reports whether a person can be asked now: standard input is a terminal, and this process is in its
// foreground.
func (c *Console) Attended() bool {
	f, ok := c.Stdin.(*os.File)
	return c.Terminal.In && (!ok || InForeground(f))
}

// OnInterrupt returns a channel with a value for every Ctrl-C, for a command that handles Ctrl-C itself. The function
// restores the default.
func (c *Console) OnInterrupt() (<-chan os.Signal, func()) {
	if c.interrupts != nil {
		return c.interrupts, func() {}
	}
	pressed := make(chan os.Signal, 1)
	signal.Notify(pressed, os.Interrupt)
	return pressed, func() { signal.Stop(pressed) }
}
