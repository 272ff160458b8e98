package permission

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

var dawn = time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
