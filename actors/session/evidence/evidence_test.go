package evidence

import (
	"fmt"
	"testing"
	"time"

	"betcode/actors/internal/control"
	"betcode/messages"
)

// An answer counts once, for a request of this run alone.
func TestAnswered(t *testing.T) {
	r := messages.RunRecord{ControlKey: "key"}
	request, foreign := control.ID(&r, "stop-1"), control.ID(&messages.RunRecord{ControlKey: "other"}, "stop-1")
	if !Ours(r, request) || Ours(r, foreign) || Ours(r, "stop-1") {
		t.Error("signatures are not recognised")
	}
	after, first := Answered(r, request)
	if !first || len(r.ControlsAnswered) > 0 {
		t.Errorf("first answer: %v; the record before has %d", first, len(r.ControlsAnswered))
	}
	if _, again := Answered(after, request); again {
		t.Error("the second answer counts")
	}
	for _, id := range []string{foreign, "stop-1", "", "."} {
		if _, ours := Answered(after, id); ours {
			t.Errorf("%q counts", id)
		}
	}
}

func TestCalls(t *testing.T) {
	r := messages.RunRecord{}
	r, added := Refused(r, "a")
	again, twice := Refused(r, "a")
	if !added || twice || len(again.UnansweredCalls) != 1 {
		t.Errorf("%v, %v, %v", added, twice, again.UnansweredCalls)
	}
	if _, known := ForgetRefused(r, "b"); known {
		t.Error("an unknown call was forgotten")
	}
	if left, known := ForgetRefused(r, "a"); !known || len(left.UnansweredCalls) != 0 || len(r.UnansweredCalls) != 1 {
		t.Errorf("%v, %v, %v", known, left, r)
	}
	r = Decided(Decided(r, "a", time.Unix(1, 0)), "a", time.Unix(2, 0))
	if len(r.CallsDecided) != 1 || r.CallsDecided[0].At != time.Unix(2, 0) {
		t.Errorf("%+v", r.CallsDecided)
	}
	if left, known := ForgetDecided(r, "a"); !known || len(left.CallsDecided) != 0 {
		t.Errorf("%v, %+v", known, left.CallsDecided)
	}
	if _, known := ForgetDecided(r, "b"); known {
		t.Error("an unknown call was forgotten")
	}
}

// Lists are bounded; the newest entries stay.
func TestBounds(t *testing.T) {
	r := messages.RunRecord{ControlKey: "key"}
	for i := range 2000 {
		call := fmt.Sprint(i)
		r, _ = Refused(r, call)
		r = Decided(r, call, time.Unix(int64(i), 0))
		r, _ = Answered(r, control.ID(&r, call))
	}
	if len(r.UnansweredCalls) != maxRefused || len(r.CallsDecided) != maxDecided || len(r.ControlsAnswered) != maxControls {
		t.Fatalf("%d, %d, %d", len(r.UnansweredCalls), len(r.CallsDecided), len(r.ControlsAnswered))
	}
	if r.UnansweredCalls[maxRefused-1] != "1999" || r.CallsDecided[0].ToolUse != "1744" {
		t.Errorf("%s, %+v", r.UnansweredCalls[maxRefused-1], r.CallsDecided[0])
	}
}

// The actor of a run reports a record without the evidence.
func TestKept(t *testing.T) {
	known := messages.RunRecord{
		Run: 1, ControlsAnswered: []string{"s"}, UnansweredCalls: []string{"c"}, CallsDecided: []messages.CallDecided{{ToolUse: "d"}},
		Alarm: messages.ForgedInput, Frozen: true,
	}
	got := Kept(known, messages.RunRecord{Run: 1, State: messages.RunRunning})
	if got.State != messages.RunRunning || len(got.ControlsAnswered) != 1 || len(got.UnansweredCalls) != 1 || len(got.CallsDecided) != 1 || got.Alarm != known.Alarm || !got.Frozen {
		t.Errorf("%+v", got)
	}
}
