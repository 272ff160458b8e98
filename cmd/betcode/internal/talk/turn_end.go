package talk

import (
	"errors"
	"fmt"
	"strings"

	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

// failed reports whether the turn failed, and why.
func (t *turn) failed() (bool, string) {
	switch {
	case t.crashed:
		text := "the agent's process ended and could not be started again"
		if t.failure != nil {
			text = t.failure.GetMessage()
		}
		return true, text
	case t.overDay:
		return true, "the daemon's budget of the day is used, so the message waits; see what asks about it with: betcode fleet status"
	case t.overBudget:
		return true, "the budget is used, so the message waits; raise the budget with: betcode session budget " + t.session + " --usd AMOUNT, or answer the request: betcode permission list"
	case t.awaitsResume:
		return true, "the turn was interrupted and waits; resume it with: betcode session resume " + t.session
	case t.complete.GetStopReason() == interruptedTurn && !t.interrupted:
		return true, t.gaveUp()
	case t.complete.GetIsError():
		return true, t.refusal()
	case !t.accepted && t.failure != nil:
		return true, t.failure.GetMessage()
	case t.ended.GetState() == pb.RepeatState_REPEAT_STATE_EXHAUSTED, t.ended.GetState() == pb.RepeatState_REPEAT_STATE_FAILED:
		return true, t.ended.GetReason()
	}
	return false, ""
}

// refusal returns the error of the turn, and how to mend it if the agent is not logged in or its key is refused. It leaves out
// what is on the screen, and the agent's advice to run /login, which betcode does not have.
func (t *turn) refusal() string {
	said := t.complete.GetError()
	if !authentication(t.failure) {
		return said
	}
	switch {
	case t.shown && t.said(said):
		return loginHint
	case strings.Contains(said, "/login"):
		return "the agent is not logged in; " + loginHint
	}
	return said + "; " + loginHint
}

// loginHint is the hint for a turn that failed because the agent is not logged in, or its key is refused.
const loginHint = "log in: claude /login. Or give the daemon an API key (ANTHROPIC_API_KEY) and restart it"

// authentication reports whether an error means that the agent is not logged in, or that its key is refused.
func authentication(f *pb.ErrorEvent) bool {
	return f.GetCode() == "AUTHENTICATION_FAILED" || f.GetCode() == "NOT_LOGGED_IN"
}

// said reports whether the agent's answer has the same error.
func (t *turn) said(failed string) bool {
	return strings.TrimSpace(t.text.String()) == strings.TrimSpace(failed)
}

// interruptedTurn is the stop reason of a turn that is neither cancelled nor continued: its agent crashed too often, or
// the session never continues turns.
const interruptedTurn = "interrupted"

// gaveUp returns why a turn is not continued, with the end of the agent's standard error.
func (t *turn) gaveUp() string {
	text := "the turn was interrupted and is not continued"
	if t.failure != nil {
		text += ": " + t.failure.GetMessage()
	}
	if words := t.stderr(); words != "" {
		text += "; the end of the agent's standard error: " + words
	}
	return text
}

// stderr returns the agent's standard error before it crashed.
func (t *turn) stderr() string { return strings.TrimSpace(t.failure.GetDetails()["stderr"]) }

// eventExits maps codes of error events to exit codes.
var eventExits = map[string]int{
	"NO_INPUT_LOCK": exit.Denied, "PERMISSION_DENIED": exit.Denied,
	"RATE_LIMITED": exit.RateLimited, "POOL_EXHAUSTED": exit.RateLimited, "RESOURCE_EXHAUSTED": exit.RateLimited,
	"INVALID_ARGUMENT": exit.Invalid, "SESSION_NOT_FOUND": exit.NotFound, "NOT_FOUND": exit.NotFound,
	"INTERNAL": exit.Internal, "SQLITE_ERROR": exit.Internal, "DATA_LOSS": exit.Internal,
	"UNAVAILABLE": exit.Connection, "DEADLINE_EXCEEDED": exit.Connection,
}

// exit returns the error with which the command ends.
func (t *turn) exit() error {
	failed, why := t.failed()
	switch {
	case t.interrupted:
		return exit.Silent(exit.Interrupted)
	case failed && !t.accepted && t.failure.GetCode() == noInputLock:
		return refusedByLock(t.client, t.failure)
	case failed:
		code := exit.Failed
		if t.overBudget {
			code = exit.RateLimited
		} else if known, ok := eventExits[t.failure.GetCode()]; ok && (!t.accepted || known == exit.RateLimited) {
			code = known
		}
		if why == "" {
			why = "the agent reported an error"
		}
		return exit.With(code, errors.New(console.Line(why)))
	case t.ended.GetState() == pb.RepeatState_REPEAT_STATE_CANCELLED && t.complete.GetStopReason() != "cancelled":
		return exit.With(exit.Failed, errors.New(console.Line("the prompt is not repeated any more: "+t.ended.GetReason())))
	case t.complete.GetStopReason() == "cancelled":
		return exit.With(exit.Failed, errors.New("the turn was interrupted by another client"))
	case len(t.denied) > 0:
		tools := make([]string, len(t.denied))
		for i, d := range t.denied {
			tools[i] = d.Tool
		}
		return exit.With(exit.Denied, fmt.Errorf("%s denied because no person was asked: %s. Use --permissions or --allow-tools",
			console.Count(len(tools), "request"), console.Line(strings.Join(tools, ", "))))
	}
	return nil
}
