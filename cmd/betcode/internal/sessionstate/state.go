package sessionstate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// Name is the name of a state.
type Name string

// The states, in the order in which a person cares about them.
const (
	Waiting Name = "waiting" // for a person: an answer, a budget, a decision about an interrupted turn
	Blocked Name = "blocked" // the agent cannot run until its cause is gone
	Queued  Name = "queued"  // a message waits until an agent may start for it
	Working Name = "working" // a turn or a background task runs
	Idle    Name = "idle"    // nothing is left to do
	Stopped Name = "stopped" // a person stopped it: no agent runs until a client continues
)

var all = []Name{Waiting, Blocked, Queued, Working, Idle, Stopped}

// Names returns the names of all states, the most urgent first.
func Names() []Name { return slices.Clone(all) }

// List is [Names] in a sentence.
func List() string {
	names := make([]string, len(all))
	for i, name := range all {
		names[i] = string(name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// Known reports whether there is a state with this name.
func Known(name string) bool { return slices.Contains(all, Name(name)) }

// Compare orders states by urgency.
func Compare(a, b Name) int { return cmp.Compare(slices.Index(all, a), slices.Index(all, b)) }

// State is the state of a session.
type State struct {
	Name   Name
	Reason string // the reason to wait, to be blocked or queued, or the client that stopped it; empty for the others
}

// Of returns the state of a session. Where several facts hold, the most urgent one for a person counts.
func Of(s *pb.SessionSummary) State {
	switch {
	case s.GetUndecided() > 0 || s.GetAsks() != "":
		reason := cmp.Or(console.Line(s.GetAsks()), "an answer")
		if more := s.GetUndecided(); more > 1 {
			reason += fmt.Sprintf(" (1 of %d)", more)
		}
		return State{Waiting, reason}
	case s.GetStoppedAt() != nil && s.GetStatus() != "active" && s.GetStatus() != "damaged":
		return State{Stopped, stoppedText(s.GetStoppedBy())}
	case BudgetText(s.GetWaiting()) != "":
		return State{Waiting, BudgetText(s.GetWaiting())}
	case s.GetStatus() == "waiting" || s.GetWaiting() != "":
		return State{Waiting, "an interrupted turn is to be resumed"}
	case s.GetCondition() != "":
		return State{Blocked, strings.ReplaceAll(console.Line(s.GetCondition()), "_", " ")}
	case s.GetStatus() == "crashed":
		return State{Blocked, "its agent crashed and is not started again"}
	case s.GetStatus() == "damaged":
		return State{Blocked, "its history is damaged"}
	case s.GetSlotPlace() > 0:
		return State{Queued, fmt.Sprintf("place %d: %s", s.GetSlotPlace(), WaitText(s.GetSlotReason()))}
	case s.GetRateLimited() && s.GetStatus() == "active":
		return State{Blocked, LimitText(s.GetRateLimitedUntil())}
	case s.GetStatus() == "active":
		return State{Name: Working}
	case s.GetStatus() == "closed":
		return State{Name: Stopped}
	}
	return State{Name: Idle}
}
