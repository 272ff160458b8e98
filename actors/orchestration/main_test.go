package orchestration

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(patient{m}) }

// patient waits for what the actor library leaves behind after a dead letter: a goroutine that lives one second.
type patient struct{ *testing.M }

func (p patient) Run() int {
	defer time.Sleep(1100 * time.Millisecond)
	return p.M.Run()
}
