package session

import (
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/actors/session/oldagent"
	"betcode/actors/session/proxied"
	"betcode/messages"
)

// Differences between versions of the agent. The version is that of the program when it was started, until the agent reports its
// own. Both are in the session's record, so that the version of an adopted agent is known.

// startedAs notes the version of a program that was started.
func (t *transition) startedAs(m messages.ProcessStarted) {
	if !m.Adopted && m.Version != "" && m.Version != t.s.record.AgentVersion {
		t.change().AgentVersion = m.Version
	}
}

// beginInputs marks the message that a turn begins with, where the agent does not report it.
func (t *transition) beginInputs(m claude.TurnStarted) {
	if t.s.can().CommandLifecycle || m.Origin != "" || t.s.proxied() {
		return
	}
	if in, begins := oldagent.Begins(t.s.inputs, t.s.record.Run); begins {
		t.putInput(in)
	}
}

// answeredBy lists the messages that a turn has answered.
func (t *transition) answeredBy(m claude.TurnEnded) []string {
	if t.s.proxied() {
		return proxied.Answered(t.s.inputs, m.LocalCommand)
	}
	if t.s.can().CommandLifecycle || m.Origin != "" {
		return m.Inputs
	}
	return oldagent.Answered(t.s.inputs, t.s.record.Run, m.Inputs)
}

// readComplaint evaluates the standard error of a run that ended, for what the agent reports nowhere else.
func (t *transition) readComplaint(exit messages.Exit) {
	if t.s.run == nil || !exit.Known || exit.Code == 0 {
		return
	}
	c := claude.Complaint(t.s.agent.stderr)
	if t.s.run.Resumed {
		t.s.agent.memoryGone = t.s.agent.memoryGone || c.MemoryGone(t.s.run.AgentSession)
		return
	}
	t.s.agent.idTaken = c.IDTaken(t.s.run.AgentSession)
	t.s.agent.memoryGone = t.s.agent.memoryGone || t.s.forks() && c.MemoryGone(t.s.record.Fork.AgentSession)
}

// forks reports whether the newest run was to fork another conversation.
func (s *state) forks() bool {
	return s.run != nil && !s.run.Resumed && s.record.Fork.AgentSession != ""
}

// notContinuing is a sorted list of versions that do not continue an interrupted turn by themselves.
type notContinuing []string

// continues reports whether a version is believed to continue an interrupted turn by itself.
func (n notContinuing) continues(version string) bool {
	_, stays := slices.BinarySearch(n, version)
	return !stays
}

// An agent reports its commands, agents and models: their names with every turn, the details when it is asked for them. The
// session asks when the agent first reports something new, and when a client wants to know. Both are stored in a file beside the
// runs, for clients that ask while no agent runs. Nothing depends on that file.

// inquiryPatience is how long a caller waits for the agent. An agent that answers does so within milliseconds.
const inquiryPatience = 2 * time.Second

// inquirySlow is the timer's message when callers have waited long enough for the agent's answer.
type inquirySlow struct{ request string }

// remember is an effect: store what an agent has reported.
type remember struct {
	directory string // of the session's runs
	abilities messages.Abilities
}

func (remember) Effect() {}

// getAbilities asks the agent, if it runs. One answer serves all callers that wait for it.
func (t *transition) getAbilities(from *actor.PID) {
	switch {
	case !t.known(from, "get abilities"):
	case !t.s.agent.up || t.s.ending.Shutdown:
		t.then(act.Reply{To: from, With: messages.Abilities{}})
	default:
		t.s.inquiry.Wait(from)
		t.inquire()
	}
}

// inquire asks the agent what it can be asked for, unless it is being asked.
func (t *transition) inquire() {
	if request := t.s.inquiry.Ask(func() string { return t.control("abilities") }); request != "" {
		t.sendToAgent(run.WriteControl{Line: claude.InitializeLine(request, false)})
		t.then(act.After{Delay: inquiryPatience, Message: inquirySlow{request}})
	}
}

// abilitiesReported takes the agent's answer.
func (t *transition) abilitiesReported(m claude.ControlAnswered) {
	told, err := claude.ParseAbilities(m.Response)
	if !m.OK || err != nil {
		t.endInquiry(messages.Abilities{}) // an agent that cannot be asked
		return
	}
	told.Fresh = true
	t.then(remember{t.s.runsDirectory(), told})
	t.endInquiry(told)
}

// endInquiry answers the waiting callers, with what is stored if the answer is not fresh.
func (t *transition) endInquiry(answer messages.Abilities) {
	for _, from := range t.s.inquiry.End() {
		t.then(act.Reply{To: from, With: answer})
	}
}

func (t *transition) inquiryTimedOut(m inquirySlow) {
	if t.s.inquiry.Is(m.request) {
		t.endInquiry(messages.Abilities{})
	}
}

// abilitiesNamed stores the names that the beginning of a turn lists, if they have changed.
func (t *transition) abilitiesNamed(told messages.Abilities) {
	if t.s.inquiry.Named(told) {
		t.then(remember{t.s.runsDirectory(), told})
	}
}

// keepReport stores the agent's report about itself, and what its own files in its directory configure of its servers.
type keepReport struct {
	report      messages.AgentReport
	directory   string // it works in
	environment map[string]string
}

func (keepReport) Effect() {}

// reported notes the agent's report about itself, if it is new. Then the session asks the agent for the details: it reads its input
// at that moment, so the request does not wait in the pipe.
func (t *transition) reported(m claude.TurnStarted) {
	if len(m.Tools) == 0 || t.s.proxied() {
		return // it reports nothing about itself, or what it reports is of another machine
	}
	report := messages.AgentReport{
		Session: t.s.id, At: act.Wall(t.now.at).UTC(), Version: m.Version, Model: m.Model, Tools: m.Tools,
	}
	for _, s := range m.Servers {
		report.Servers = append(report.Servers, messages.McpServer{Name: s.Name, Status: s.Status})
	}
	if t.s.inquiry.Reported(report) {
		t.then(keepReport{report, t.s.record.WorkingDirectory, t.s.environment()})
		t.inquire()
	}
}

// A limit of the account is shown until it ends or a turn succeeds. If the agent reports when it ends, the pool starts no turn of
// the account's sessions until then. The agent decides how long its own turn waits, and the daemon does not repeat a turn that a
// limit has ended.

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

// rateLimitOver forgets the limit when a turn has succeeded. A command of the agent itself makes no request, so it proves nothing.
func (t *transition) rateLimitOver(m claude.TurnEnded) {
	if !m.IsError && !m.LocalCommand && t.s.record.RateLimit != (messages.RateLimit{}) {
		t.change().RateLimit = messages.RateLimit{}
	}
}
