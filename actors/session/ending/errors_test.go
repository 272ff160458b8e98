package ending

import (
	"errors"
	"strings"
	"testing"

	"betcode/messages"
)

func TestErrors(t *testing.T) {
	if e := StoppingError("send input", "try again"); e.Op != "send input" || e.Kind != messages.Unavailable || e.Hint != "try again in a moment" {
		t.Errorf("stopping: %+v", e)
	}
	if e := NotRestartedError("s1", "it crashed"); e.Kind != messages.Unavailable || !strings.Contains(e.Error(), "it crashed") || e.Details["session_id"] != "s1" {
		t.Errorf("not restarted: %+v", e)
	}
	full := errors.New("no space left")
	if e := UnsavedError("s1", full); e.Code != messages.StorageError || !errors.Is(e, full) || e.Hint == "" || e.Details["session_id"] != "s1" {
		t.Errorf("unsaved: %+v", e)
	}
}
