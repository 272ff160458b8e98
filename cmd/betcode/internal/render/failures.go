package render

import (
	"strings"

	pb "betcode/proto/betcode/v1"
)

// maxFailure bounds how much of a text is compared with an error.
const maxFailure = 4 << 10

// failures knows what a person has read of a failure, because the daemon reports one in up to five events: as text of the agent,
// as an error, at the end of the turn, as the condition of the session, and as its status.
type failures struct {
	block string // of the text that was shown last
	text  string // its beginning
	error string // message of the error that was shown last
}

// said takes a piece of text that was shown.
func (f *failures) said(d *pb.TextDelta) {
	if d.GetBlockId() != f.block || d.GetBlockId() == "" {
		f.block, f.text = d.GetBlockId(), ""
	}
	if len(f.text) < maxFailure {
		f.text += d.GetText()
	}
}

// failed takes an error and reports whether it is new.
func (f *failures) failed(message string) bool {
	repeated := f.read(message)
	f.error = message
	return !repeated
}

// read reports whether a message was shown, as text of the agent or in an error.
func (f *failures) read(message string) bool {
	message = strings.TrimSpace(message)
	return message != "" && (message == strings.TrimSpace(f.text) || strings.HasPrefix(strings.TrimSpace(f.error), message))
}

// forget is for a new message: what fails then is news.
func (f *failures) forget() { *f = failures{} }
