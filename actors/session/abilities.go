package session

import (
	"reflect"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/claude"
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

// remember has what an agent has told remembered.
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
