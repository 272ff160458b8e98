package session

import (
	"slices"
	"testing"

	"betcode/actors/internal/claude"
	"betcode/actors/internal/protect"
	"betcode/actors/internal/rules"
	"betcode/actors/session/prompts"
	"betcode/actors/session/screening"
	"betcode/messages"
)

// ruled is a session in its first turn whose user has written rules down.
func ruled(t *testing.T, texts map[rules.Effect][]string) *bench {
	t.Helper()
	var all []rules.Rule
	for effect, list := range texts {
		for _, text := range list {
			all = append(all, rules.Rule{Effect: effect, Text: text, Source: "settings.json"})
		}
	}
	set, problems := rules.New(all...)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	b := turning(t)
	b.rules, b.state.options.Rules = set, set
	b.given()
	return b
}

// given has the agent confirm the rules that hold.
func (b *bench) given() { b.state.agent.handover.Has = b.state.rulesFacts().Missing() }

func asksFor(id, tool, argument string) claude.PermissionAsked {
	return claude.PermissionAsked{Request: id, Tool: tool, ToolUse: "t-" + id, Input: rules.InputOf(tool, argument), At: dawn}
}

// A rule decides before the grants of the session, and nobody is asked.
func TestRulesDecide(t *testing.T) {
	b := ruled(t, map[rules.Effect][]string{
		rules.Deny: {"Bash(rm *)"}, rules.Ask: {"Bash(git push *)"}, rules.Allow: {"Bash(git *)", "Bash(ls *)"},
	})
	b.state.record.Grants = map[string]bool{"Bash": true}
	b.on(b.out(asksFor("p1", "Bash", "git status; ls")), "run 1: answer p1 allow")
	if p := b.state.prompts.Get("p1"); p.DecidedBy != screening.ByRule || p.Decision != messages.AllowOnce {
		t.Errorf("%+v", p)
	}
	b.on(messages.AnswerWritten{Run: 1, Request: "p1"})
	b.on(b.out(asksFor("p2", "Bash", "git status; rm x")), "run 1: answer p2 deny (A rule forbids this call: deny Bash(rm *) (settings.json))")
	b.on(b.out(asksFor("p3", "Bash", "make")), "run 1: answer p3 allow") // by the grant
	b.on(b.out(asksFor("p4", "Bash", "git push")), "all: 6 request p4, 7 WAITING_FOR_USER", "wait for p4")
	person := asksFor("p5", "Bash", "git status")
	person.NeedsPerson = true
	b.on(b.out(person), "all: 8 request p5", "wait for p5")
}

// A rule about files waits for what the path is behind symbolic links.
func TestRulesAboutFiles(t *testing.T) {
	texts := map[rules.Effect][]string{rules.Allow: {"Edit(src/**)"}, rules.Deny: {"Edit(//etc/**)"}}
	for name, c := range map[string]struct {
		real string
		want []string
	}{
		"inside":    {"", []string{"run 1: answer p1 allow"}},
		"outside":   {"/home/x", []string{"all: 6 request p1, 7 WAITING_FOR_USER", "wait for p1"}},
		"forbidden": {"/etc/passwd", []string{"run 1: answer p1 deny (A rule forbids this call: deny Edit(//etc/**) (settings.json))"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := ruled(t, texts)
			place := rules.Place{Directory: b.state.record.WorkingDirectory}
			b.on(b.out(asksFor("p1", "Edit", "src/x")), "look around for p1")
			b.on(b.out(asksFor("p1", "Edit", "src/x"))) // told twice
			if name == "inside" {
				c.real = place.Directory + "/src/x"
			}
			b.on(lookedAround{request: "p1", real: rules.Real{Path: c.real, Place: place}, directory: &rules.Set{}}, c.want...)
			b.on(lookedAround{request: "p1", real: rules.Real{Path: c.real, Place: place}, directory: &rules.Set{}}) // and answered twice
		})
	}
}

// A request that waits for the disk is checked again by the next incarnation, and
// forgotten when the agent goes: nobody has seen it.
func TestRulesAboutFilesAcrossACrash(t *testing.T) {
	b := ruled(t, map[rules.Effect][]string{rules.Allow: {"Edit(src/**)"}})
	b.tell(b.out(asksFor("p1", "Edit", "src/x")))
	b.quiet()
	b.crash()
	if got := b.quiet(); !slices.Contains(got, "look around for p1") || slices.Contains(got, "wait for p1") {
		t.Errorf("after a crash: %q", got)
	}
	b.tell(b.exit(1))
	if b.state.prompts.Len() != 0 {
		t.Errorf("%+v", b.state.prompts)
	}
	b.quiet()
	b.on(lookedAround{request: "p1", directory: &rules.Set{}})
}

// The next incarnation may have looked before it has found the agent again; then it
// looks once more.
func TestRulesAboutFilesBeforeTheAgentIsFound(t *testing.T) {
	b := ruled(t, map[rules.Effect][]string{rules.Allow: {"Edit(src/**)"}})
	b.tell(b.out(asksFor("p1", "Edit", "src/x")))
	b.quiet()
	b.crash()
	b.quiet()
	b.on(lookedAround{request: "p1", directory: &rules.Set{}})
	b.tell(b.adopted())
	if got := b.quiet(); !slices.Contains(got, "look around for p1") {
		t.Errorf("when the agent is found: %q", got)
	}
	b.tell(lookedAround{request: "p1", directory: &rules.Set{}})
	if p := b.state.prompts.Get("p1"); !prompts.Screened(p) {
		t.Errorf("no permission request is made: %+v", p)
	}
}

// What a directory brings along is read once for each run, before the first request
// is decided; its rules count behind the user's.
func TestRulesOfTheDirectory(t *testing.T) {
	own, problems := rules.New(
		rules.Rule{Effect: rules.Deny, Text: "Bash(git push *)", Source: "own"}, rules.Rule{Effect: rules.Allow, Text: "Bash(make *)"},
	)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	b := ruled(t, map[rules.Effect][]string{rules.Allow: {"Bash(git *)"}})
	b.state.options.OwnRules = true
	b.on(b.out(asksFor("p1", "Bash", "git push x")), "look around for p1")
	b.on(b.out(asksFor("p2", "Bash", "make x")), "look around for p2")
	b.on(lookedAround{request: "p1", directory: own}, "run 1: control apply_flag_settings", "run 1: answer p1 deny (A rule forbids this call: deny Bash(git push *) (own))")
	b.on(lookedAround{request: "p2", directory: own}, "run 1: answer p2 allow")
	b.on(b.out(asksFor("p3", "Bash", "git status")), "run 1: answer p3 allow")
	run := b.state.record.Run
	b.tell(b.exit(1))
	b.tell(inTranscript(run, "k1"))
	b.tell(restartDue{run: run})
	if b.state.record.Run == run || b.state.agent.directory != nil {
		t.Errorf("run %d looks around: %v", b.state.record.Run, b.state.agent.directory == nil)
	}
}

// protecting is ruled with the built-in list.
func protecting(t *testing.T, texts map[rules.Effect][]string) *bench {
	t.Helper()
	b := ruled(t, texts)
	b.state.options.Protected = protect.New(protect.Places{Home: "/home/u"}, protect.Places{})
	b.given()
	return b
}

// What the list has is asked about whatever a rule or a grant prompts.Allows, and still denied
// where something forbids it.
func TestProtectedIsAskedAbout(t *testing.T) {
	for name, c := range map[string]struct {
		texts map[rules.Effect][]string
		grant map[string]bool
		want  []string
	}{
		"allow rule": {map[rules.Effect][]string{rules.Allow: {"Edit"}}, nil, []string{"all: 6 request p1, 7 WAITING_FOR_USER", "wait for p1"}},
		"grant":      {nil, map[string]bool{"Edit": true}, []string{"all: 6 request p1, 7 WAITING_FOR_USER", "wait for p1"}},
		"deny rule":  {map[rules.Effect][]string{rules.Deny: {"Edit"}}, nil, []string{"run 1: answer p1 deny (A rule forbids this call: deny Edit (settings.json))"}},
		"forbidden":  {nil, map[string]bool{"Edit": false}, []string{"run 1: answer p1 deny (The user has forbidden the tool Edit for this session.)"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := protecting(t, c.texts)
			b.state.record.Grants = c.grant
			b.on(b.out(asksFor("p1", "Edit", ".mcp.json")), "look around for p1")
			b.on(lookedAround{request: "p1", directory: &rules.Set{}, protected: "/p/.mcp.json says which servers agents start"}, c.want...)
			if p := b.state.prompts.Get("p1"); prompts.Undecided(p) && p.Reason == "" {
				t.Errorf("no reason: %+v", p)
			}
		})
	}
}

// A person who allows a tool for the session has allowed what is not on the list.
func TestGrantDoesNotCoverTheList(t *testing.T) {
	b := protecting(t, nil)
	b.state.record.Grants = map[string]bool{"Bash": true}
	b.on(b.out(asksFor("p1", "Bash", "ls")), "look around for p1")
	b.on(lookedAround{request: "p1", directory: &rules.Set{}}, "run 1: answer p1 allow")
}

// What the agent insists on is asked about: its user's own rule is no rule of ours.
func TestAgentInsists(t *testing.T) {
	b := ruled(t, map[rules.Effect][]string{rules.Allow: {"Bash"}})
	b.state.record.Grants = map[string]bool{"Bash": true}
	asked := asksFor("p1", "Bash", "ls")
	asked.Insists = "an ask rule of its own"
	b.on(b.out(asked), "all: 6 request p1, 7 WAITING_FOR_USER", "wait for p1")
	if p := b.state.prompts.Get("p1"); p.Reason != asked.Insists || p.Decision != messages.Undecided {
		t.Errorf("%+v", p)
	}
}
