package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"betcode/tests/foreignportal"
)

// guestPrompts bounds what people type at the foreign portal.
const guestPrompts = 25

// guest is a session of ours that 'betcode proxy' registers at a foreign portal. People prompt it and answer there.
type guest struct {
	gateways   *gateways
	session    string
	generation int
	portal     *foreignportal.Server
	dice       *rand.Rand
	said       []string // marks of the prompts
	answers    int
}

func newGuest(g *gateways, session string) *guest {
	dice := rand.New(rand.NewPCG(g.round.schedule.seed, 401))
	generation := 1 + dice.IntN(3)
	return &guest{gateways: g, session: session, generation: generation, portal: foreignportal.NewServer(generation), dice: dice}
}

// arguments are those of the proxy.
func (u *guest) arguments() []string {
	return []string{"--backend-url", u.portal.URL, "--session", u.session, "--generation", fmt.Sprint("g", u.generation)}
}

// follow prompts and answers until ctx ends.
func (u *guest) follow(ctx context.Context) {
	compose := ofAgent("guest")
	for ctx.Err() == nil {
		pause(ctx, time.Duration(30+u.dice.IntN(150))*time.Millisecond)
		if s, _ := u.portal.Session(u.session); s.Request != nil {
			u.answers++
			u.gateways.round.note("the foreign portal answers %v", s.Request["request_id"])
			u.portal.Answer(u.session, foreignportal.Frame{
				"request_id": s.Request["request_id"], "allow": u.dice.IntN(5) > 0, "input": s.Request["input"],
			})
		}
		if u.dice.IntN(3) > 0 || len(u.said) >= guestPrompts || u.gateways.draining.Load() {
			continue
		}
		text := compose(len(u.said), u.dice)
		u.said = append(u.said, markPattern.FindString(text))
		u.portal.Say(u.session, text, "", uuid.NewString())
	}
}

// marks returns the marks of the lines that the portal has.
func (u *guest) marks() (marks []string) {
	s, _ := u.portal.Session(u.session)
	for _, l := range s.Lines {
		marks = append(marks, marksOf(l.Content)...)
	}
	return marks
}

// unrest describes what the portal waits for, when the session has these marks.
func (u *guest) unrest(whole []string) string {
	s, _ := u.portal.Session(u.session)
	if n := len(u.marks()); len(s.Pending) > 0 || s.Request != nil || n < len(whole) {
		return fmt.Sprintf("the foreign portal has %d of %d marks, %d prompts are not acknowledged, request %v", n, len(whole), len(s.Pending), s.Request)
	}
	return ""
}

// check compares what the portal has with the whole, and what was typed there with the prompts of the session.
func (u *guest) check(whole []string) {
	r := u.gateways.round
	r.compareMarks(u.marks(), whole, "lines at the foreign portal (G%d)", u.generation)
	s, _ := u.portal.Session(u.session)
	last, ids := uint64(0), map[string]bool{}
	for _, l := range s.Lines {
		var head struct {
			UUID string `json:"uuid"`
		}
		_ = json.Unmarshal(l.Content, &head) // the portal complains
		if l.Seq <= last {
			r.report(reordered, "line %d follows %d at the foreign portal", l.Seq, last)
		}
		if head.UUID != "" && ids[head.UUID] {
			r.report(duplicated, "the foreign portal has this twice: %.300s", l.Content)
		}
		last, ids[head.UUID] = l.Seq, true
	}
	prompts := ofKind("u", whole)
	for _, m := range u.said {
		switch n := len(slices.DeleteFunc(slices.Clone(prompts), func(p string) bool { return p != m })); {
		case n == 0:
			r.report(lost, "prompt %s of the foreign portal is not in its session", m)
		case n > 1:
			r.report(duplicated, "prompt %s of the foreign portal is in its session %d times", m, n)
		}
	}
	for _, c := range u.portal.Complaints() {
		r.report(otherwise, "the foreign portal cannot read this: %s", c)
	}
}
