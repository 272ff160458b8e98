package messages

import (
	"errors"
	"fmt"
)

// JournalFinding is damage that was met when the journal was opened, and what was done
// about it. The journal is in use: a finding without a session lost nothing that was
// committed.
type JournalFinding struct {
	File    string
	Offset  int64 // in bytes; -1 = the file as a whole
	Problem string
	Outcome string
	Crash   bool // a crash leaves the same: it may be no damage at all
}

// String describes the finding in one line.
func (f JournalFinding) String() string {
	where := f.File
	if f.Offset >= 0 {
		where = fmt.Sprintf("%s at offset %d", f.File, f.Offset)
	}
	return fmt.Sprintf("%s: %s; %s", where, f.Problem, f.Outcome)
}

// CauseOf returns the text of an error without what was being done.
func CauseOf(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}
