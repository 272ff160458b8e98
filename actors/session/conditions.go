package session

import (
	"cmp"
	"strings"

	pb "betcode/proto/betcode/v1"

	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/events"
	"betcode/messages"
	"betcode/messages/claudecode"
)

// A terminal condition keeps the agent from running until a person acts. The session does not try again by itself: it is CRASHED,
// keeps its work, and tries once more with the next message, `session resume` or `session restart`.

// evidence is what a condition is recognised by: how a run ended, or how a turn of
// it did.
type evidence struct {
	exit       messages.Exit
	complaint  string            // the end of what the process wrote to its standard error
	turn       *claude.TurnEnded // nil at the end of a run
	memoryGone bool              // the agent reported that it does not know the conversation
	forgotten  bool              // and there is no transcript of it either
	silent     bool              // the run wrote nothing to standard output
}

// conditions is the table of them. The first that fits counts.
var conditions = []struct {
	name    messages.Condition
	shows   func(evidence) bool
	told    string // for people: what is wrong
	release string // for people: what to do
}{
	{
		messages.DirectoryGone, func(e evidence) bool {
			return e.exit.Stage == "directory" || strings.Contains(e.complaint, "current directory no longer exists")
		},
		"The directory the agent works in is gone", "bring it back",
	},
	{
		messages.StateNotWritable, func(e evidence) bool { return e.exit.Stage == run.StageState },
		"The daemon cannot write to its state directory", "make the directory writable for the daemon's user",
	},
	{
		messages.AgentTooOld, func(e evidence) bool { return e.exit.Stage == run.StageVersion },
		"The agent's version is not supported", "upgrade it: " + claudecode.UpgradeCommand(),
	},
	{
		messages.StartRefused, func(e evidence) bool { return e.refusal() != "" },
		"The agent refuses to start", "change what it says is wrong",
	},
	{
		messages.AgentMissing, func(e evidence) bool { return e.exit.Stage == "execute" },
		"The agent's program cannot be started", "install it (npm install -g @anthropic-ai/claude-code), or name its program (betcode config set agent.path PATH, betcode daemon restart)",
	},
	{
		messages.FenceRefused, func(e evidence) bool { return e.exit.Stage == "fence" },
		"The agent cannot be fenced, so it is not started", "change what the reason names, or set agent.fence to off",
	},
	{
		messages.NotLoggedIn, func(e evidence) bool {
			return e.turn != nil && e.turn.Failure == "AUTHENTICATION_FAILED" && strings.Contains(e.turn.Error, "/login")
		},
		"The agent is not logged in", "log in with the agent's own program (claude, then /login), or give the daemon an API key and restart it",
	},
	{
		messages.KeyRefused, func(e evidence) bool { return e.turn != nil && e.turn.Failure == "AUTHENTICATION_FAILED" },
		"The API refuses the agent's key", "give the daemon a key that is valid and restart it, or log in with the agent's own program",
	},
	{
		messages.ConversationDeleted, func(e evidence) bool { return e.memoryGone && e.forgotten },
		"The agent's transcript of this conversation was deleted; its history is here, but it cannot be continued", "bring the transcript back, or begin another session",
	},
	{
		messages.MemoryGone, func(e evidence) bool { return e.memoryGone },
		"The agent no longer knows this conversation; its history is here, but it cannot be continued", "bring its transcript back, or begin another session",
	},
}

// terminal looks for a condition in the evidence, and enters it.
func (t *transition) terminal(e evidence) bool {
	for _, c := range conditions {
		if !c.shows(e) {
			continue
		}
		why := cmp.Or(e.failure(), e.refusal(), e.exit.Reason, e.complaint)
		if e.memoryGone {
			why = ""
		}
		t.block(c.name, c.told, c.release, why)
		return true
	}
	return false
}

// argumentRefused blocks a session whose agent cannot be given a command line: a model,
// tool or deny rule that the gateway did not check, from settings or from the journal of
// an older build.
func (t *transition) argumentRefused(err error) {
	t.block(messages.ArgumentRefused, "The agent's command line cannot be made",
		"change the model, or the rule or tool that is named, in the settings or in a new session", err.Error())
}

// block enters a condition: the session runs no agent until a person acts.
func (t *transition) block(name messages.Condition, told, release, why string) {
	r := t.change()
	r.Condition, r.Phase = name, messages.PhaseCrashed
	t.notRestarted(told)
	message := told + "; " + release + ". Then send a message, or run: betcode session restart " + string(t.s.id)
	details := map[string]string{"condition": string(name)}
	if why != "" {
		details["reason"] = why
	}
	code := messages.Code(strings.ToUpper(string(name)))
	t.emit(events.Error(code, message, details))
	t.status(pb.AgentStatus_ERROR, told)
	t.auditFailed(code, told)
	t.call("AGENT_CANNOT_RUN", message, details)
}

// failure returns the agent's description of its failed turn.
func (e evidence) failure() string {
	if e.turn == nil {
		return ""
	}
	return e.turn.Error
}

// unblock continues a blocked session. The work it has is tried again.
func (t *transition) unblock() {
	r := t.change()
	stood := t.s.blocked()
	r.Waiting, r.Condition, r.Interruptions = "", "", 0
	t.s.retries.Failures, t.s.retries.waiting, t.s.agent.interrupted = nil, false, false
	t.s.attended = true
	if stood && t.s.busy() {
		r.Phase = messages.PhaseActive
	} else if stood {
		r.Phase = messages.PhaseIdle
		t.becomeIdle()
	}
}

// refusal returns the complaint of an agent that exited at once because it would not start. It wrote nothing else, and its next
// start would repeat it.
func (e evidence) refusal() string {
	if !e.silent || !e.exit.Known || e.exit.Signal != "" || e.exit.Code == 0 || e.turn != nil || e.memoryGone {
		return ""
	}
	return claude.Complaint(e.complaint).Refusal()
}

// A limit of the account is shown until it ends or a turn succeeds. If the agent tells its end, the pool starts no turn of the
// account's sessions until then. The agent decides how long its own turn waits, and the daemon does not repeat a turn that a limit
// has ended.

// rateLimited records a limit that the agent has hit, and reports it to the pool. A limit with a known end is kept when the turn
// then fails without naming it.
func (t *transition) rateLimited(m claude.RateLimited) {
	if !m.Until.IsZero() && sharedLimit(m.Kind) {
		t.then(sendToPool{pool.Limited{Session: t.s.id, Account: t.s.account(), Kind: m.Kind, Until: m.Until}})
	}
	r := t.change()
	if m.Until.IsZero() && r.RateLimit.Holds(t.now.at) {
		return
	}
	r.RateLimit = messages.RateLimit{Since: t.now.at, Until: m.Until, Kind: m.Kind}
}

// sharedLimit reports whether a limit holds for every session of the account. Limits of one model do not: "seven_day_opus".
func sharedLimit(kind string) bool { return !strings.HasPrefix(kind, "seven_day_") }

// account returns what the session's agent and those of other sessions share the limits of: the configuration directory that the
// client has given it. Empty = that of the daemon's environment.
func (s *state) account() string {
	environment := s.environment()
	return cmp.Or(environment["CLAUDE_CONFIG_DIR"], environment["HOME"])
}

// rateLimitOver forgets the limit when a turn has succeeded. A command of the agent itself makes no request, so it proves nothing.
func (t *transition) rateLimitOver(m claude.TurnEnded) {
	if !m.IsError && !m.LocalCommand && t.s.record.RateLimit != (messages.RateLimit{}) {
		t.change().RateLimit = messages.RateLimit{}
	}
}
