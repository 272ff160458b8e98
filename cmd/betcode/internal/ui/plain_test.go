package ui

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/chat/editor"
	pb "betcode/proto/betcode/v1"
)

// Each change is a line, and a session keeps its number.
func TestPlainLines(t *testing.T) {
	p := NewPlain()
	say := func(want []string, lines ...string) {
		t.Helper()
		if strings.Join(lines, "\n") != strings.Join(want, "\n") {
			t.Errorf("printed\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	}
	idle := &pb.SessionSummary{Id: "a", Name: "resting", Status: "idle"}
	busy := &pb.SessionSummary{Id: "b", Name: "bu\x1b[2Jsy", Status: "active"}
	say([]string{"1 working, 1 idle.", `1. bu\x1b[2Jsy: working. -.`, "2. resting: idle. -.", "help lists the commands."}, p.Listed(now, list(idle, busy), nil)...)
	say(nil, p.Listed(now, list(idle, busy), nil)...)
	asks := &pb.SessionSummary{Id: "a", Name: "resting", Status: "active", Undecided: 1, Asks: "make"}
	say([]string{"2. resting: needs you: make. -."}, p.Listed(now, list(busy, asks), nil)...)
	say([]string{"The daemon does not answer; trying again. If it is gone: betcode daemon start"}, p.Listed(now, nil, status.Error(codes.Unavailable, "gone"))...)
	say(nil, p.Listed(now, nil, status.Error(codes.Unavailable, "gone"))...)
	say([]string{"Connected again.", "1 is deleted."}, p.Listed(now, list(asks), nil)...)

	for line, want := range map[string]Effect{
		"2": Open{Session: "a"}, "open 2": Open{Session: "a"}, "open tests": Open{Session: "tests"}, "next": Open{Session: "a"}, "stop 2": Command{"stop", "a", ""},
		"rename 2 x y": Command{"rename", "a", "x y"}, "new": Begin{}, "plans": ShowPlans{}, "quit": Quit{}, "": nil, "find make": nil, "help": nil,
		"stop 9": nil, "rename 2": nil, "hm": nil, "open": nil,
	} {
		lines, got := p.Line(now, line)
		if !reflect.DeepEqual(got, want) || want == nil && line != "" && len(lines) == 0 {
			t.Errorf("%q: %+v, %q", line, got, lines)
		}
	}
	lines, _ := p.Line(now, "/make")
	say([]string{"2. resting: needs you: make. -."}, lines...)
}

// plan is an orchestration with three steps.
func plan() *pb.OrchestrationInfo {
	return &pb.OrchestrationInfo{
		Id: "p", Name: "rele\x1b[2Jase", State: pb.OrchestrationState_ORCHESTRATION_STATE_RUNNING, TotalSteps: 3, CompletedSteps: 1, FailedSteps: 1,
		Steps: []*pb.OrchestrationStepInfo{
			{Id: "plan", Status: pb.StepStatus_STEP_STATUS_COMPLETED, SubagentId: "s1"},
			{Id: "build", DependsOn: []string{"plan"}, Status: pb.StepStatus_STEP_STATUS_FAILED, SubagentId: "s2", ErrorMessage: "exit\n1"},
			{Id: "test", DependsOn: []string{"build"}, Status: pb.StepStatus_STEP_STATUS_BLOCKED},
		},
	}
}

func TestPlans(t *testing.T) {
	p := &Plans{width: 60, height: 12}
	if rows := strings.Join(p.Rows(now), "\n"); !strings.Contains(rows, "reading the plans") {
		t.Error(rows)
	}
	p.Took([]*pb.OrchestrationInfo{plan()}, nil)
	press := func(name string) Effect { return p.Press(editor.Key{Name: name}) }
	if got := press("enter"); got != nil {
		t.Errorf("the title opens %v", got)
	}
	press("j")
	press("down")
	want := `plans

  rele\x1b[2Jase · running · 1 of 3 completed · 1 failed
    ✓ plan
›   └ ✗ build failed: exit 1
      └ ⊘ test blocked




` + strings.Repeat("─", 59) + `
j k move · Enter open the session of a step · Esc back`
	if got := strings.Join(p.Rows(now), "\n"); got != want {
		t.Errorf("drawn\n%s\nwant\n%s", got, want)
	}
	if got := press("enter"); got != (Open{Session: "s2"}) {
		t.Errorf("opens %v", got)
	}
	p.Took(nil, errors.New("gone"))
	if rows := strings.Join(p.Rows(now.Add(time.Second)), "\n"); !strings.Contains(rows, "not read: gone") || !strings.Contains(rows, "build") {
		t.Error(rows)
	}
	if got := press("esc"); got != (HidePlans{}) {
		t.Errorf("%v", got)
	}
	lines := strings.Join(planLines([]*pb.OrchestrationInfo{plan()}), "\n")
	if want := "rele\\x1b[2Jase, running, 1 of 3 completed, 1 failed\n  plan: completed\n  build: failed, after plan: exit 1\n  test: blocked, after build"; lines != want {
		t.Errorf("printed\n%s\nwant\n%s", lines, want)
	}
}
