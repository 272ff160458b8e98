package session

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/session/events"
	"betcode/actors/session/prompts"
	"betcode/actors/session/requests"
	"betcode/messages"
)

// In some permission modes Claude Code decides by itself what it asks about, and does not ask about everything on the built-in
// list (docs/security.md has the table). A session enters such a mode after a confirmation: once in each session, by a person with
// the right to approve, or by such a caller together with its request. Until then the session keeps its mode.
//
// The daemon asks for the confirmation by a permission request of its own. It is journaled, shown and answered like one of the
// agent's, and waits like an orphan, because no process waits for it.

// modeTool is the tool that a request to confirm a mode names.
const modeTool = "PermissionMode"

// risk returns what an agent does without asking in a mode that has to be confirmed:
// a clause for people. It is empty for the others.
func (s *state) risk(mode string) string {
	switch mode {
	case "", "manual", "plan", "dontAsk", claude.DefaultMode:
		return ""
	case "acceptEdits":
		if exposed := cmp.Or(s.announced.exposed, s.options.Protected.Exposed(s.record.WorkingDirectory)); exposed != "" {
			return "files are changed without a request, and " + exposed
		}
		return ""
	case claude.BypassMode:
		return "shell commands run without a request, also those that change protected files"
	}
	return "the agent decides by itself which calls run without a request"
}

// unconfirmed returns the risk of a mode that has not been confirmed in this session, empty
// if it has. A confirmation of bypassPermissions covers every mode.
func (s *state) unconfirmed(mode string) string {
	if slices.Contains(s.record.Confirmed, mode) || slices.Contains(s.record.Confirmed, claude.BypassMode) {
		return ""
	}
	return s.risk(mode)
}

// wantMode has the session work in a mode: at once, or when it is confirmed.
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
		e := byClient(messages.AuditGranted, by)
		e.Tool, e.Input, e.Context = modeTool, t.s.modeInput(mode, risk), map[string]string{"for": "session", "mode": mode, "confirmed": "with the request"}
		t.audit(e)
		t.confirm(mode, string(by))
	default:
		t.askToConfirm(mode, risk)
		return
	}
	t.enterMode(mode)
}

// confirm notes that a mode was confirmed for the session. A request to do so is over.
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

// enterMode has the agent that runs work in another mode, and every later one.
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

// modeInput is what people are shown of a mode, in the shape of a tool's input.
func (s *state) modeInput(mode, risk string) []byte {
	input, err := json.Marshal(map[string]string{"mode": mode, "means": risk, "directory": s.record.WorkingDirectory})
	if err != nil {
		panic("encode permission mode: " + err.Error()) // strings only
	}
	return input
}

// askToConfirm puts a mode before people, unless it is already.
func (t *transition) askToConfirm(mode, risk string) {
	if slices.ContainsFunc(t.s.prompts.List(prompts.Undecided), func(p messages.PermissionRecord) bool { return p.Mode == mode }) {
		return
	}
	now := act.Wall(t.now.at)
	p := messages.PermissionRecord{
		Request: messages.RequestID(t.now.id()), Session: t.s.id, Run: t.s.record.Run, Seq: t.s.record.Head + 1,
		Tool: modeTool, Mode: mode, Input: t.s.modeInput(mode, risk), Reason: "this permission mode is confirmed once in each session: " + risk,
		Why:        messages.AskReason{DisplayName: "Permission mode", NoSessionGrant: true, DefaultToNo: true},
		ReceivedAt: now, ForwardedAt: now, ExpiresAt: now.Add(t.s.options.PermissionTTL), OrphanedAt: now,
	}
	for _, e := range events.Prompt(p) {
		t.emit(e)
	}
	t.putPermission(p)
	t.callFor(p)
	t.then(spawnPermission{p})
}

// modeDecided acts on the answer to a request of the daemon's own.
func (t *transition) modeDecided(from *actor.PID, p messages.PermissionRecord, request messages.RequestID) {
	t.emit(events.PermissionResolved(p))
	t.recordDecision(p)
	t.auditDecision(p, messages.ActorUser)
	outcome := messages.PermissionAnswered{Applied: true, By: p.DecidedBy, Decision: p.Decision, Request: request}
	if p.Decision == messages.DecisionExpired {
		t.then(act.Reply{To: from, With: requests.LateAnswer(p.Request, outcome)})
	} else {
		t.then(act.Reply{To: from, With: outcome})
	}
	t.then(dropPermission{p.Request})
	t.removePermission(p.Request)
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
	var modes []string
	suggested := claude.SuggestedModes(p.Suggestions)
	for _, n := range p.Applied {
		switch mode, ok := suggested[n]; {
		case !ok || t.s.unconfirmed(mode) == "":
			kept = append(kept, n)
		case skipsAsking[mode]: // else it is no mode that a command line may have
			modes = append(modes, mode)
		}
	}
	p.Applied = kept
	return p, modes
}

// modeTaken reports whether the agent may be in the mode that it reports. If not, the agent is set back.
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
	case skipsAsking[mode] && !t.s.attended:
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
