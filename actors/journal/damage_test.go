package journal

import (
	"errors"
	"strings"
	"testing"
	"time"

	"betcode/messages"
)

func TestHealthTellsOfADamagedJournal(t *testing.T) {
	var d Damage
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	bad := &messages.JournalReport{Problems: []messages.JournalProblem{{File: "000001.journal", Err: errors.New("page 7 is torn")}}}
	for _, c := range []struct {
		report *messages.JournalReport
		met    error
		want   string
	}{
		{&messages.JournalReport{}, nil, ""},
		{bad, nil, "page 7 is torn"},
		{nil, errors.New("file 2 cannot be rewritten"), "file 2"},
		{&messages.JournalReport{}, nil, ""},
	} {
		d.Note(now, c.report, c.met)
		view, damaged := d.View("The newest backup is of yesterday")
		if damaged != (c.want != "") || !strings.Contains(view.Message, c.want) {
			t.Errorf("%+v: %q, %t", c, view.Message, damaged)
		}
		if damaged && (!view.Degraded() || !strings.Contains(view.Impact, "journal restore") || !strings.Contains(view.Impact, "of yesterday")) {
			t.Errorf("%+v", view)
		}
	}
}
