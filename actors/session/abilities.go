package session

import (
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
	"betcode/actors/pool"
	"betcode/actors/run"
	"betcode/messages"
)

// An agent reports its commands, agents and models: their names with every turn, the details when it is asked for them. The
// session asks when the agent first reports something new, and when a client wants to know. Both are stored in a file beside the
// runs, for clients that ask while no agent runs. Nothing depends on that file.

// inquiryPatience is how long a caller waits for the agent. An agent that answers does so within milliseconds.
const inquiryPatience = 2 * time.Second

// inquiry is how it stands with asking the agent what it can be asked for.
type inquiry struct {
	request string             // the control request that asks it; empty: it is not being asked
	askers  []*actor.PID       // wait for the answer
	told    messages.Abilities // with the beginning of the newest turn
}

// inquirySlow is the timer's message when callers have waited long enough for the agent's answer.
type inquirySlow struct{ request string }

// remember is an effect: store what an agent has reported.
type remember struct {
	directory string // of the session's runs
	abilities messages.Abilities
}

func (remember) Effect() {}

// getAbilities asks the agent, if it runs. One answer serves all who ask meanwhile.
func (t *transition) getAbilities(from *actor.PID) {
	switch {
	case !t.known(from, "get abilities"):
	case !t.s.agent.up || t.s.ending.shutdown:
		t.then(act.Reply{To: from, With: messages.Abilities{}})
	default:
		t.s.inquiry.askers = append(slices.Clip(t.s.inquiry.askers), from)
		t.inquire()
	}
}

// inquire asks the agent what it can be asked for, unless it is being asked.
func (t *transition) inquire() {
	if t.s.inquiry.request == "" {
		t.s.inquiry.request = t.control("abilities")
		t.sendToAgent(run.WriteControl{Line: claude.InitializeLine(t.s.inquiry.request, false)})
		t.then(act.After{Delay: inquiryPatience, Message: inquirySlow{t.s.inquiry.request}})
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
	for _, from := range t.s.inquiry.askers {
		t.then(act.Reply{To: from, With: answer})
	}
	t.s.inquiry.request, t.s.inquiry.askers = "", nil
}

func (t *transition) inquiryTimedOut(m inquirySlow) {
	if m.request == t.s.inquiry.request {
		t.endInquiry(messages.Abilities{})
	}
}

// abilitiesNamed takes note of what the beginning of a turn tells, if that is news.
func (t *transition) abilitiesNamed(told messages.Abilities) {
	if len(told.Commands) == 0 && len(told.Agents) == 0 || reflect.DeepEqual(told, t.s.inquiry.told) {
		return
	}
	t.s.inquiry.told = told
	t.then(remember{t.s.runsDirectory(), told})
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
	if sum := fingerprint(report); sum != t.s.announced.report {
		t.s.announced.report = sum
		t.then(keepReport{report, t.s.record.WorkingDirectory, t.s.environment()})
		t.inquire()
	}
}

// fingerprint is of everything but the time.
func fingerprint(r messages.AgentReport) uint64 {
	h := fnv.New64a()
	word := func(s string) { _, _ = h.Write(append([]byte(s), 0)) }
	word(r.Version)
	word(r.Model)
	for _, tool := range r.Tools {
		word(tool)
	}
	for _, s := range r.Servers {
		word("=" + s.Name)
		word(s.Status)
	}
	return h.Sum64()
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

// rateLimitOver forgets the limit when a turn has succeeded. A command of the agent itself makes no request, so it proves nothing.
func (t *transition) rateLimitOver(m claude.TurnEnded) {
	if !m.IsError && !m.LocalCommand && t.s.record.RateLimit != (messages.RateLimit{}) {
		t.change().RateLimit = messages.RateLimit{}
	}
}
