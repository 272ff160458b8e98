package run

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var dawn = time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)
