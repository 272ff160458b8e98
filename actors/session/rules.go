package session

import (
	"cmp"
	"strings"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/protect"
	"betcode/actors/internal/rules"
	"betcode/actors/internal/texts"
	"betcode/actors/run"
	"betcode/actors/session/handover"
	"betcode/actors/session/prompts"
	"betcode/actors/session/screening"
	"betcode/actors/settings"
	"betcode/messages"
)

// The permission bridge of the daemon document: the user's rules and those of the session's directory decide first, then the
// session's grants, then a person. Reading the directory's rules and resolving symbolic links is work for the disk, so a request
// that needs it waits in the journal, not yet shown (its Seq is 0).

// lookAround resolves the symbolic links of a request's path, and reads the rules of
// its directory; lookedAround is the answer.
type lookAround struct {
	request messages.RequestID
	call    rules.Call
	edit    []byte // the input that a kept answer gives the call; nil: there is none
	says    string // why the agent asks, as it words it
}

func (lookAround) Effect() {}

type lookedAround struct {
	request   messages.RequestID
	real      rules.Real
	directory *rules.Set // never nil
	protected string     // why people are asked whatever rules say; empty: rules decide
	edit      string     // why the input of a kept answer must not be used; empty: it may
}

func (e lookAround) asks(d *Deps, s *state) func() any {
	protected := s.options.Protected
	return func() any { return e.look(d, protected) }
}

func (e lookAround) look(d *Deps, protected *protect.List) lookedAround {
	found := lookedAround{
		request: e.request, real: rules.Resolve(e.call), directory: d.DirectoryRules(e.call.Place.Directory), protected: protected.Check(e.call),
	}
	if dir, other := claude.OtherRepository(e.says); other {
		found.protected = cmp.Or(found.protected, protected.CheckRepository(dir, e.call.Place.Directory))
	}
	if e.edit != nil {
		found.edit = d.EditRefused(e.call, e.edit, found.directory)
	}
	return found
}

// rulesNow returns the rules that apply to the session: the user's and its directory's.
func (t *transition) rulesNow() *rules.Set { return t.s.options.Rules.With(t.s.agent.directory) }

// People are asked about some calls, whatever rules, grants and modes say: calls that write a file of the built-in list (package protect), and
// calls that the agent itself insists on. Such a request has a reason ([messages.PermissionRecord]), which is shown to people.

// screen begins to decide a new request. One of an agent under a proxy goes to people at once: rules and paths of this machine
// do not apply to another.
func (t *transition) screen(p messages.PermissionRecord, needsPerson bool) {
	if t.s.proxied() {
		p.Why.NoSessionGrant = true
		t.then(spawnPermission{t.prompt(p)})
		return
	}
	unread, edit := t.s.options.OwnRules && t.s.agent.directory == nil, t.keptEdit(p)
	if !needsPerson && (unread || t.s.subagentLives() || edit != nil || t.s.options.Protected != nil && protect.Concerned(p.Tool) || t.rulesNow().NeedsDisk(p.Tool)) {
		t.putPermission(p)
		t.then(lookAround{p.Request, t.callOf(p), edit, p.Why.Reason})
		return
	}
	t.decideByRules(p, t.callOf(p), needsPerson)
}

// lookedAround decides a request after the disk was read for it.
func (t *transition) lookedAround(m lookedAround) {
	t.s.agent.directory = m.directory
	t.giveRules()
	p, ok := t.s.prompts.Find(m.request)
	if !ok || prompts.Screened(p) || !t.s.agent.up {
		return // withdrawn meanwhile, or the agent has gone and will ask again
	}
	if m.edit != "" {
		t.dropEdit(p, m.edit)
	}
	p.Reason = cmp.Or(m.protected, p.Reason)
	call := t.callOf(p)
	call.Real = m.real
	t.decideByRules(p, call, false)
}

// decideByRules decides a request by the rules, else by the grants of the session, else by a person (package screening).
func (t *transition) decideByRules(p messages.PermissionRecord, call rules.Call, needsPerson bool) {
	c := screening.Case{Rules: t.rulesNow().Decide(call), Grants: t.s.record.Grants, NeedsPerson: needsPerson}
	old, again := t.keptFor(p)
	p = screening.Decide(p, c)
	if t.boundsOf(&p, call, c.Asks(p) || p.Question) {
		return
	}
	switch {
	case prompts.Decided(p):
		if again {
			t.withdraw(old.Request, p.DecidedBy)
		}
		p.DecidedAt = p.ReceivedAt
		t.putPermission(p)
		t.unanswered(p)
		if p.DecidedBy == byAutoApprove {
			p.DecidedAt = t.now.at
			t.callDecided(p)
		}
		t.auditDecision(p, messages.ActorDaemon)
		t.deliverAnswer(p)
	case again:
		t.askedAgain(old, p)
	default:
		t.then(spawnPermission{t.prompt(p)})
	}
}

// The running agent gets the daemon's rules (package handover). The session knows which of them the agent has confirmed; the
// explanation of a decision lists those that it lacks.

// rulesAtStart are the rules that an agent's command line has.
func (s *state) rulesAtStart() claude.DelegatedRules {
	return handover.AtStart(s.options.Protected.Rules(s.record.WorkingDirectory), s.options.Rules, s.record.DeniedTools)
}

// rulesFacts is what holds for the running agent.
func (s *state) rulesFacts() handover.Facts {
	return handover.Facts{
		Start: s.rulesAtStart(), Directory: s.agent.directory, Argv: s.run.Argv, Mode: s.record.PermissionMode, LiveRules: s.can().LiveRules,
	}
}

// giveRules gives the running agent the rules that it lacks.
func (t *transition) giveRules() {
	if !t.s.agent.up || t.s.run == nil || t.s.ending.Shutdown {
		return
	}
	if line := t.s.agent.handover.Give(t.s.rulesFacts(), func() string { return t.control("rules") }); line != nil {
		t.sendToAgent(run.WriteControl{Line: line})
	}
}

// handedOver takes the agent's answer, and sends the rules that have changed since.
func (t *transition) handedOver(ok bool) {
	t.s.agent.handover.Answered(t.s.rulesFacts(), ok)
	if ok {
		t.giveRules()
	}
}

// settingsChanged adopts the present settings for later decisions.
func (t *transition) settingsChanged(m settings.Changed) {
	t.s.options.Settings = m.Now
	if m.Rules != nil {
		t.rulesChanged(*m.Rules)
	}
}

// rulesChanged gives changed rules to the agent, and announces to the clients where they allow more than before.
func (t *transition) rulesChanged(m settings.RulesChanged) {
	if !t.s.exists || !t.s.active() || t.s.proxied() {
		return
	}
	if len(m.Widened) > 0 {
		t.notice("RULES_WIDENED", "The permission rules have changed while the agent runs, and allow more than before: "+texts.Shorten(strings.Join(m.Widened, "; "), maxShown),
			map[string]string{"source": m.Source, "changes": texts.Shorten(strings.Join(m.Widened, "\n"), maxWidened)})
	}
	t.giveRules()
}

// replaceOutdated ends an agent that rests and was started with rules that no longer hold: the
// next message starts it with the present ones. It ends every step.
func (t *transition) replaceOutdated() {
	if t.s.agent.handover.Replaced() && !t.s.ending.Shutdown && !t.s.replacing() {
		t.park()
	}
}

// lookForRules has the rules of the session's directory read, which the agent may not read itself.
func (t *transition) lookForRules() {
	if t.s.options.OwnRules && t.s.agent.directory == nil {
		t.then(lookAround{call: rules.Call{Place: rules.Place{Directory: t.s.record.WorkingDirectory, Home: t.s.options.Home}}})
	}
	t.giveRules()
}

// agentRules returns which rules the running agent has, or the next one will have.
func (s *state) agentRules() messages.AgentRules {
	if !s.agent.up || s.run == nil {
		next := s.rulesAtStart()
		return messages.AgentRules{Mode: cmp.Or(s.record.PermissionMode, claude.DefaultMode), Ask: next.Ask, Deny: next.Deny}
	}
	return s.agent.handover.View(s.rulesFacts())
}
