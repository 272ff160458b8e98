package siege

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Pipe replaces a file by a named pipe without a writer.
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

// Sparse replaces a file by a sparse file of 1 GiB.
func (s *Siege) Sparse(path string) {
	_ = os.Remove(path)
	s.Write(path, "")
	s.Must(os.Truncate(path, 1<<30), "make a large file")
}
