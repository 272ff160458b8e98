package render

import (
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/eventtest"

	pb "betcode/proto/betcode/v1"
)

// TestScreenNamesWhatWasTakenBack checks that a screen that only grows names its retracted texts,
// and none that it never showed.
func TestScreenNamesWhatWasTakenBack(t *testing.T) {
	var out strings.Builder
	r := NewRenderer(&out, false, false)
	for _, e := range eventtest.Retracted() {
		r.Event(e)
	}
	if want := `(the agent took back "Goes away.", its call of Bash)`; strings.Count(out.String(), want) != 1 {
		t.Errorf("no %s in\n%s", want, &out)
	}
	out.Reset()
	r.Event(&pb.AgentEvent{Event: &pb.AgentEvent_Retraction{Retraction: &pb.Retraction{BlockIds: []string{"m2/0"}}}}) // of a turn that is over
	if out.Len() > 0 {
		t.Errorf("says %q of what it no longer knows", &out)
	}
}

// TestExportLeavesOutWhatWasTakenBack checks the same of an export.
func TestExportLeavesOutWhatWasTakenBack(t *testing.T) {
	var out strings.Builder
	m := NewMarkdown(&out)
	for i, e := range eventtest.Retracted() {
		e.Sequence = uint64(i + 1)
		if err := m.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.End(); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "oes away") || strings.Contains(got, "gone") || !strings.Contains(got, "Stays too.") || !strings.Contains(got, "Stays.\n") {
		t.Errorf("got\n%s", got)
	}
}
