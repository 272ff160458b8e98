package health

import (
	"syscall"
	"testing"
	"time"
)

func TestStateDirectoryIsReported(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var s state
	s, _ = s.step(now, nil, StateDirectory{syscall.EROFS})
	degraded := func() bool {
		for _, c := range s.components(now, 0, 0) {
			if c.Name == "state_directory" {
				return c.Degraded()
			}
		}
		return false
	}
	if !degraded() {
		t.Error("health does not say it")
	}
	if s, _ = s.step(now, nil, StateDirectory{}); degraded() {
		t.Error("health still reports it after it was mended")
	}
}
