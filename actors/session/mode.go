package session

import (
	"cmp"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/claude"
	"betcode/actors/run"
	"betcode/actors/session/audit"
	"betcode/actors/session/modes"
	"betcode/actors/session/prompts"
	"betcode/messages"
)

// A permission mode is granted by a client. An agent that is started without one, after a crash or a reboot, begins in the default
// mode. A session enters a mode with a risk (package modes) after a confirmation: once in each session, by a person with the right
// to approve, or by such a caller together with its request. Until then the session keeps its mode.
//
// The daemon asks for the confirmation by a permission request of its own. It is journaled, shown and answered like one of the
// agent's, and waits like an orphan, because no process waits for it.

// unconfirmed returns the risk of a mode that has not been confirmed in this session, empty if it has.
func (s *state) unconfirmed(mode string) string {
	if modes.Confirmed(s.record.Confirmed, mode) {
		return ""
	}
	return modes.Risk(mode, func() string {
		return cmp.Or(s.announced.exposed, s.options.Protected.Exposed(s.record.WorkingDirectory))
	})
}

// wantMode moves the session into a mode: at once, or when the mode is confirmed.
func (t *transition) wantMode(mode string, by messages.ClientID, confirmed bool) {
	for _, p := range t.s.prompts.List(prompts.Undecided) {
		if p.Mode != "" && p.Mode != mode {
			t.withdraw(p.Request, string(by)) // replaced by the new wish
		}
	}
	risk := t.s.unconfirmed(mode)
	switch {
	case risk == "":
	case confirmed:
		e := audit.ByClient(messages.AuditGranted, by)
		e.Tool, e.Input, e.Context = modes.Tool, modes.Input(mode, risk, t.s.record.WorkingDirectory), map[string]string{"for": "session", "mode": mode, "confirmed": "with the request"}
		t.audit(e)
		t.confirm(mode, string(by))
	default:
		t.askToConfirm(mode, risk)
		return
	}
	t.enterMode(mode)
}

// confirm records that a mode was confirmed for the session, and ends a request to confirm it.
func (t *transition) confirm(mode string, by string) {
	if r := t.change(); !slices.Contains(r.Confirmed, mode) {
		r.Confirmed = append(slices.Clone(r.Confirmed), mode)
	}
	for _, p := range t.s.prompts.List(prompts.Undecided) {
		if p.Mode == mode {
			t.withdraw(p.Request, by)
		}
	}
}

// enterMode moves the running agent into another mode, and every later one.
func (t *transition) enterMode(mode string) {
	r := t.change()
	before := r.PermissionMode
	r.PermissionMode, t.s.attended = mode, !t.s.agent.up
	switch {
	case !t.s.active():
	case mode == claude.BypassMode && claude.ModeOf(t.s.run.Argv) != claude.BypassMode:
		t.notice("MODE_AT_NEXT_START", "The agent enters this permission mode when it is started again: after its turn, with the next message",
			map[string]string{"mode": mode})
		t.giveRules() // which notes that the agent is to be replaced
	default:
		t.askMode(before, mode)
	}
}

// askToConfirm asks people to confirm a mode, unless they have been asked.
func (t *transition) askToConfirm(mode, risk string) {
	if slices.ContainsFunc(t.s.prompts.List(prompts.Undecided), func(p messages.PermissionRecord) bool { return p.Mode == mode }) {
		return
	}
	t.askPeople(messages.PermissionRecord{
		Tool: modes.Tool, Mode: mode, Input: modes.Input(mode, risk, t.s.record.WorkingDirectory), Why: messages.AskReason{DisplayName: "Permission mode"},
		Reason: "this permission mode is confirmed once in each session: " + risk,
	})
}

// modeDecided acts on the answer to a request of the daemon's own.
func (t *transition) modeDecided(from *actor.PID, p messages.PermissionRecord, request messages.RequestID) {
	t.peopleDecided(from, p, request)
	if prompts.Allows(p.Decision) {
		t.confirm(p.Mode, p.DecidedBy)
		t.enterMode(p.Mode)
	}
	t.maybeRetire()
}

// withoutModes removes unconfirmed modes from the suggestions that an answer applies, because
// the agent would enter them at once. It returns the removed modes.
func (t *transition) withoutModes(p messages.PermissionRecord) (messages.PermissionRecord, []string) {
	var kept []uint32
	var removed []string
	suggested := claude.SuggestedModes(p.Suggestions)
	for _, n := range p.Applied {
		switch mode, ok := suggested[n]; {
		case !ok || t.s.unconfirmed(mode) == "":
			kept = append(kept, n)
		case modes.Unasked(mode): // otherwise no command line may have the mode
			removed = append(removed, mode)
		}
	}
	p.Applied = kept
	return p, removed
}

// modeTaken reports whether the agent may be in the mode that it reports. If not, its mode is reset.
func (t *transition) modeTaken(mode string) bool {
	now := cmp.Or(t.s.record.PermissionMode, claude.DefaultMode)
	if mode == now || t.s.unconfirmed(mode) == "" {
		return true
	}
	t.notice("MODE_TAKEN_BACK", "The agent has entered a permission mode that no person has confirmed, and is set back",
		map[string]string{"from": mode, "to": now})
	t.askMode(now, now)
	return false
}

// resetMode returns to the default mode if no client has acted since the last run, or if the
// mode has not been confirmed: the session comes from an older daemon or a backup.
func (t *transition) resetMode() {
	mode := t.s.record.PermissionMode
	risk := t.s.unconfirmed(mode)
	var told string
	switch {
	case modes.Unasked(mode) && !t.s.attended:
		told = "The agent is started again by itself, so it asks again before it acts"
	case risk != "":
		told = "The permission mode has not been confirmed in this session, so the agent asks again before it acts"
	default:
		return
	}
	t.change().PermissionMode = claude.DefaultMode
	t.notice("MODE_RESET", told, map[string]string{"from": mode, "to": claude.DefaultMode})
	if t.s.attended {
		t.askToConfirm(mode, risk)
	}
}

// modeWish is a mode that the agent was asked to enter, and has not confirmed.
type modeWish struct {
	run     messages.RunNumber
	request string // the control request, the newest; empty: there is none
	before  string // the mode before the first of them
}

// askMode asks the agent to enter another mode.
func (t *transition) askMode(before, mode string) {
	if t.s.agent.modeWish.request != "" && t.s.agent.modeWish.run == t.s.record.Run {
		before = t.s.agent.modeWish.before
	}
	t.s.agent.modeWish = modeWish{t.s.record.Run, t.control("set-mode"), before}
	t.sendToAgent(run.WriteControl{Line: claude.SetModeLine(t.s.agent.modeWish.request, mode)})
}

// modeAnswered undoes a mode that the agent has refused: the next agent would be
// started in it.
func (t *transition) modeAnswered(ok bool) {
	if !ok {
		t.change().PermissionMode = t.s.agent.modeWish.before
	}
	t.s.agent.modeWish = modeWish{}
}
