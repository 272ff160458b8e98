package console

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
)

// sink is standard output that keeps its first failure, because not everything that prints looks at errors.
type sink struct {
	w io.Writer

	mu     sync.Mutex
	failed error
}

// Write implements [io.Writer].
func (s *sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err == nil {
		return n, nil
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err // the name is /dev/stdout, whatever file or pipe that is
	}
	err = fmt.Errorf("write standard output: %w", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = err
	}
	return n, err
}

// Unwritten returns the first failure to write to standard output. It is not known of a terminal, which fails only when it has
// gone.
func (c *Console) Unwritten() error {
	s, ok := c.Stdout.(*sink)
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}
