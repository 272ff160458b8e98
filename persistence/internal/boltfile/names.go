package boltfile

import (
	"fmt"
	"regexp"
	"strconv"

	"betcode/messages"
	"betcode/persistence/internal/fault"
)

// Format is the version of the journal's layout that this build writes, and the
// newest that it reads.
const Format = 4

// A rewritten file has the number of the file that it replaced, and the number of
// rewrites.
var journalName = regexp.MustCompile(`^([0-9]{6,})(-[0-9]+)?\.journal$`)

// Name returns the name of the journal file with a number.
func Name(number uint64) string { return fmt.Sprintf("%06d.journal", number) }

// Number returns the number of the journal file with a name.
func Number(name string) (uint64, error) {
	parts := journalName.FindStringSubmatch(name)
	if parts == nil {
		return 0, fmt.Errorf("%q is not the name of a journal file", name)
	}
	return strconv.ParseUint(parts[1], 10, 64)
}

// CheckFormat refuses formats that this build cannot read.
func CheckFormat(name string, format int) error {
	switch {
	case format > Format:
		return messages.Errorf(fault.OpOpen, messages.Unimplemented, "%s is of format %d; this betcode reads up to format %d",
			name, format, Format).WithCode(messages.StorageError).WithHint(fault.HintNewer)
	case format < 1:
		return fault.DamagedFile(fault.OpOpen, name, fmt.Errorf("format %d does not exist", format))
	}
	return nil
}

// LockName is the file that is locked while a journal is open.
const LockName = "LOCK"
