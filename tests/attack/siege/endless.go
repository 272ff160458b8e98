package siege

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Pipe makes a named pipe that nobody writes to, in the place of a file.
func (s *Siege) Pipe(path string) {
	_ = os.Remove(path)
	s.Must(os.MkdirAll(filepath.Dir(path), 0o700), "make a directory")
	s.Must(syscall.Mkfifo(path, 0o600), "make a pipe")
	s.Later(func() { // what waits for a writer waits no longer
		if fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
			time.Sleep(10 * time.Millisecond)
			_ = syscall.Close(fd)
		}
	})
}

// Sparse makes a file of 1 GiB that takes no room, in the place of another.
func (s *Siege) Sparse(path string) {
	_ = os.Remove(path)
	s.Write(path, "")
	s.Must(os.Truncate(path, 1<<30), "make a large file")
}
