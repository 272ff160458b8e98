//go:build unix

package launch

import "syscall"

// temporary ends the name of a record that is not complete yet.
const temporary = ".tmp"

// room is the size of a record, in bytes. Because it is reserved, the record can be written
// on a full disk.
const room = 1024

// record is a file that does not have its name yet.
type record struct {
	fd   int
	path string
}

// reserve creates the record that will be called path, and its space.
func reserve(path string) (record, syscall.Errno) {
	fd, err := syscall.Open(path+temporary, syscall.O_CREAT|syscall.O_RDWR|syscall.O_TRUNC|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return record{}, number(err)
	}
	blank := make([]byte, room)
	for i := range blank {
		blank[i] = ' '
	}
	n, err := syscall.Write(fd, blank)
	if err == nil && n < room {
		err = syscall.ENOSPC
	}
	if err != nil {
		syscall.Close(fd)
		return record{}, number(err)
	}
	return record{fd, path}, 0
}

// commit fills the record and gives it its name. The blanks that remain behind
// the words are no part of the JSON value.
func (r record) commit(words []byte) {
	_, err := syscall.Pwrite(r.fd, words, 0)
	_ = syscall.Fsync(r.fd) // best effort: a reader of this boot sees the record without it
	if err == nil {
		_ = syscall.Rename(r.path+temporary, r.path) // fails if the directory was removed: nothing reads the record then
	}
	syscall.Close(r.fd)
}

func (s Started) failed(stage Stage, errno syscall.Errno) Started {
	s.Stage, s.Errno, s.Error = stage, errno, errno.Error()
	return s
}

// encode writes s as encoding/json would, which is too large for a launcher.
func (s Started) encode() []byte {
	b := make([]byte, 0, room)
	b = field(b, "{", "format", uint64(s.Format))
	b = text(b, "boot_id", s.BootID)
	b = append(b, `,"launcher":`...)
	b = field(b, "{", "pid", uint64(s.Launcher.PID))
	b = append(field(b, ",", "start_time", s.Launcher.StartTime), '}')
	b = append(b, `,"agent":`...)
	b = field(b, "{", "pid", uint64(s.Agent.PID))
	b = append(field(b, ",", "start_time", s.Agent.StartTime), '}')
	b = text(b, "stage", string(s.Stage))
	b = field(b, ",", "errno", uint64(s.Errno))
	b = text(b, "error", s.Error)
	return append(b, "}\n"...)
}

func (e Ended) encode() []byte {
	b := make([]byte, 0, room)
	b = field(b, "{", "format", uint64(e.Format))
	b = field(b, ",", "code", uint64(e.Code))
	b = field(b, ",", "signal", uint64(e.Signal))
	b = field(b, ",", "at", uint64(e.At))
	if e.Reason != "" {
		b = text(b, "reason", e.Reason)
	}
	return append(b, "}\n"...)
}

func field(b []byte, before, name string, value uint64) []byte {
	b = append(append(append(b, before...), '"'), name...)
	return digits(append(b, `":`...), value)
}

func digits(b []byte, value uint64) []byte {
	var last [20]byte
	i := len(last)
	for {
		i--
		last[i] = byte('0' + value%10)
		if value /= 10; value == 0 {
			return append(b, last[i:]...)
		}
	}
}

// text appends a string: a boot id, a stage, a message of the system. A character
// that needs an escape becomes a question mark.
func text(b []byte, name, value string) []byte {
	b = append(append(append(b, `,"`...), name...), `":"`...)
	for i := range len(value) {
		c := value[i]
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			c = '?'
		}
		b = append(b, c)
	}
	return append(b, '"')
}
