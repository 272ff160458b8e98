package session

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"betcode/messages"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const sessionA messages.SessionID = "3f2a0000-0000-4000-8000-00000000000a"

var dawn = time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)
