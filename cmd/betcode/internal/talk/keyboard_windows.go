package talk

import (
	"io"
	"os"
)

// terminalModes is false: the console's own line editing is used, which accepts lines of any
// length.
const terminalModes = false

// terminalReader does not exist on Windows.
type terminalReader struct{}

func newTerminalReader(*os.File, io.Writer, chan<- Line) *terminalReader { return nil }

func (*terminalReader) close()                   {}
func (*terminalReader) discard()                 {}
func (*terminalReader) redraw(io.Writer, string) {}
