package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"betcode/messages/failpoint"
)

// schedule is everything that a round does, made from its seed alone. Its timing differs between runs, except at
// failpoints.
type schedule struct {
	seed     uint64
	sessions int
	phases   []phase
	held     bool  // the first session's requests stay unanswered until the end
	stop     *stop // of the last session; nil for none
	dues     int   // every daemon does rare work every so many commits; 0 = as a person's does
	quota    bool  // agents are frozen as soon as they are a little ahead of the journal
	ruin     bool  // in the end groups of the journal's logs are damaged beyond correction
	trees    bool  // worktrees are made, used and removed
	fleet    bool  // the fleet is stopped and resumed
	plans    bool  // orchestrations are played
	socket   bool  // a client of the agent socket watches the first session, and its gateway is killed
	proxied  bool  // there is a session whose agent runs under a proxy
	gateways bool  // there are gateways, which are killed as well
}

// stop is the stop of a session in the middle of a turn, and the processes that are killed meanwhile.
type stop struct {
	victims []string
	first   bool // they die before the stop, not during it
	after   time.Duration
}

// phase is the messages of a phase, and its faults.
type phase struct {
	inputs []input
	kill   kill
	after  time.Duration // from the last message to the kill

	socket bool // before that, the socket's file is deleted
	bits   int  // in so many groups of the journal's logs a bit is flipped before the next daemon

	long  bool // wait until the daemon has died, or has nothing left to do
	words bool // wait for output of the first session's agent
	serve bool // wait until all gateways serve
	work  int  // wait until so many prompts are confirmed
}

// arms returns the failpoint specification of a daemon of the round, with point or without one.
func (s schedule) arms(point string) string {
	var plan []string
	if s.dues > 0 {
		for _, name := range failpoint.Dues() {
			every := s.dues
			if name == failpoint.RewriteDue { // reached only when space is reclaimed
				every = 1
			}
			plan = append(plan, fmt.Sprintf("%s=error%%%d", name, every))
		}
	}
	if point != "" {
		plan = append(plan, point)
	}
	return strings.Join(plan, ",")
}

// input is one action of a client: a message, a cancellation or a compaction.
type input struct {
	session int
	prompt  string
	cancel  bool
	compact bool
	wait    time.Duration // before it
}

// kill lists the processes to kill, in this order. With a point the daemon of this phase is armed to kill itself there;
// if it does not reach the point, it is killed from outside.
type kill struct {
	point   string
	victims []string      // daemon, agent, launcher, stop, leave, restart; portal, socket, proxy, g1, g2, g3
	session int           // whose agent and launcher
	then    time.Duration // restart: until the next daemon is killed as well
}

// strikes reports whether a kind of process of a session is among the victims.
func (k kill) strikes(victim string, session int) bool {
	return k.session == session && slices.Contains(k.victims, victim)
}

// panics reports whether an actor crashes: streams must not notice.
func (k kill) panics() bool { return strings.Contains(k.point, "=panic@") }

// String returns the schedule as text.
func (s schedule) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d sessions, held %t, stop %+v, dues %d, quota %t, ruin %t, trees %t, fleet %t, plans %t, socket %t, proxied %t, gateways %t\n",
		s.seed, s.sessions, s.held, s.stop, s.dues, s.quota, s.ruin, s.trees, s.fleet, s.plans, s.socket, s.proxied, s.gateways)
	for i, p := range s.phases {
		for _, m := range p.inputs {
			fmt.Fprintf(&b, "  %d: wait %s, session %d: %q cancel %t compact %t\n", i, m.wait, m.session, shorten(m.prompt), m.cancel, m.compact)
		}
		fmt.Fprintf(&b, "  %d: wait %s, kill %v of session %d %s socket %t bits %d\n", i, p.after, p.kill.victims, p.kill.session, p.kill.point, p.socket, p.bits)
	}
	return b.String()
}

// newSchedule generates the schedule of a seed.
func newSchedule(seed uint64) schedule {
	if withGateways(seed) {
		return gatewaySchedule(seed)
	}
	dice := rand.New(rand.NewPCG(seed, 1))
	s := schedule{seed: seed, sessions: 1 + dice.IntN(3), held: dice.IntN(4) == 0}
	if dice.IntN(3) == 0 {
		s.stop = newStop(dice)
	}
	if dice.IntN(2) == 0 {
		s.dues = 3 + dice.IntN(60)
	}
	for i := range 2 + dice.IntN(3) {
		p := phase{after: time.Duration(dice.IntN(200)) * time.Millisecond, kill: newKill(dice, s.sessions)}
		most, pause := 3, 20
		if dice.IntN(5) == 0 {
			most, pause = 10, 4 // a burst: queued, merged and folded messages
		}
		for j := range 1 + dice.IntN(most) {
			m := input{session: dice.IntN(s.sessions), wait: time.Duration(dice.IntN(pause)) * time.Millisecond}
			if i == 0 && j < s.sessions {
				m.session = j
			}
			if m.session == 0 && s.held {
				m.prompt = fmt.Sprintf("run:echo held-%d-%d", i, j)
			} else if m.cancel, m.compact = dice.IntN(12) == 0, dice.IntN(8) == 0; !m.cancel && !m.compact {
				m.prompt = newPrompt(dice, fmt.Sprintf("%d-%d", i, j))
				if p.kill.strikes("agent", m.session) && dice.IntN(4) == 0 {
					m.prompt = "run:sleep 8" // must not outlive the agent for long
				}
			}
			m.compact = m.compact && !m.cancel
			p.inputs = append(p.inputs, m)
		}
		if name, _, _ := strings.Cut(p.kill.point, "="); s.dues == 0 && dueOf(name) != "" {
			s.dues = 3 + dice.IntN(20) // or the failpoint may never be reached
		}
		s.phases = append(s.phases, p)
	}
	if quota := rand.New(rand.NewPCG(seed, 2)); quota.IntN(4) == 0 && (!s.held || s.sessions > 1) { // a separate generator, so that existing seeds keep their schedules
		s.quota = true // with an agent that gets ahead
		flood := input{session: s.sessions - 1, prompt: fmt.Sprintf("flood:%d:40", 10_000+quota.IntN(10_000))}
		s.phases[0].inputs = append(s.phases[0].inputs, flood)
	}
	s.addFaults()
	return s
}

// newPrompt writes steps for the fake agent. Most are one request to the model: an
// agent that is killed between two does not go on with the turn, which takes the
// daemon a minute to believe.
func newPrompt(dice *rand.Rand, name string) string {
	end := ""
	if dice.IntN(4) == 0 {
		end = "\necho:end " + name
	}
	switch dice.IntN(17) {
	case 0, 1, 2:
		return fmt.Sprintf("stream:%d:20:%dms", 10+dice.IntN(60), 1+dice.IntN(3)) + end
	case 3, 4:
		return "run:echo ran-" + name + end
	case 5:
		return "ask" + end
	case 6:
		return fmt.Sprintf("flood:%d:40", 200+dice.IntN(3000)) + end
	case 7:
		return fmt.Sprintf("sleep:%dms\nrun:echo ran-%s", dice.IntN(100), name) + end
	case 8:
		return "tools:3" + end
	case 9:
		return "think:of " + name + end
	case 10:
		if dice.IntN(3) == 0 {
			return "torn-exit:" + name + "\necho:end " + name
		}
		return fmt.Sprintf("biglines:%dKB", 1+dice.IntN(600)) + end
	case 11: // does not fit into the pipe while a turn runs, or not at all
		return "echo:" + name + strings.Repeat(" long", 1000+dice.IntN(40000))
	case 12:
		return "subagent" + end
	case 13:
		return fmt.Sprintf("bg:%dms", dice.IntN(300)) + end
	case 14:
		return fmt.Sprintf("exit:%d", dice.IntN(3)) + end
	}
	return "hello " + name
}

// shorten makes a prompt fit on a line.
func shorten(prompt string) string {
	if len(prompt) > 80 {
		return prompt[:80] + "…"
	}
	return prompt
}

// often is how many times a daemon comes by a place in a random round, where
// that is not [rarely].
var often = map[string]int{
	failpoint.BeforeCommit: 40, failpoint.InCommit: 40, failpoint.AfterCommit: 40, failpoint.BeforeWrite: 6,
	failpoint.BeforeLogWrite: 40, failpoint.AfterLogWrite: 40, failpoint.AfterLogSync: 40,
	failpoint.AfterWrite: 6, failpoint.RunStep: 60, failpoint.SpoolRead: 30, failpoint.SessionStep: 100,
	failpoint.JournalStep: 60, failpoint.ClientStep: 60, failpoint.OutboxPushed: 60,
}

const rarely = 2

// newPoint arms one of the places: at one of the times that a daemon comes by.
func newPoint(dice *rand.Rand, names []string, action string) string {
	name := names[dice.IntN(len(names))]
	return fmt.Sprintf("%s=%s@%d", name, action, 1+dice.IntN(max(rarely, often[name])))
}

// ends lists the places where a daemon can be ended, in an order that is always
// the same.
func ends() []string {
	return slices.DeleteFunc(failpoint.Names(), func(name string) bool { return slices.Contains(failpoint.Dues(), name) })
}

func newKill(dice *rand.Rand, sessions int) kill {
	k := kill{session: dice.IntN(sessions)}
	switch dice.IntN(16) {
	case 0, 1, 2, 3:
		k.victims = []string{"daemon"}
	case 4:
		k.victims = []string{"agent"}
	case 5:
		k.victims = []string{"launcher"}
	case 6:
		k.victims = []string{"daemon", "agent"}
	case 7:
		k.victims = []string{"launcher", "agent", "daemon"}
	case 8:
		k.victims = []string{"stop"}
	case 9:
		k.victims = []string{"leave"}
	case 10:
		k.victims, k.then = []string{"restart"}, time.Duration(dice.IntN(120))*time.Millisecond
	case 11:
		k.point = newPoint(dice, failpoint.Actors(), "panic") // only an actor crashes
	default:
		k.point, k.victims = newPoint(dice, ends(), "kill"), []string{"daemon"}
	}
	return k
}

func newStop(dice *rand.Rand) *stop {
	victims := [][]string{nil, {"daemon"}, {"daemon"}, {"agent"}, {"agent", "daemon"}, {"launcher", "agent"}}
	return &stop{
		victims: victims[dice.IntN(len(victims))], first: dice.IntN(2) == 0,
		after: time.Duration(dice.IntN(100)) * time.Millisecond,
	}
}
