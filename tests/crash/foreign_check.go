package main

import (
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// uncertain returns the requests for which people got a notice that no decision may arrive.
func uncertain(all []kit.Event) map[string]bool {
	ids := map[string]bool{}
	for _, e := range all {
		if n := e.GetNotice(); n.GetCode() == "DECISION_UNCERTAIN" || n.GetCode() == "PERMISSION_SUPERSEDED" {
			ids[n.GetDetails()["request_id"]] = true
		}
	}
	return ids
}

// check compares the history with the output and the input of the agents.
func (f *foreign) check(all []kit.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.gateways.round
	prompts, texts := journaledMarks(all)
	var want []string
	there := map[string]bool{}
	for _, m := range texts {
		there[m] = true
	}
	for _, m := range f.lines {
		if !f.maybe[m] || there[m] {
			want = append(want, m)
		}
	}
	r.compareMarks(texts, want, "texts of the foreign session %s", f.name)
	for _, m := range prompts {
		n, unsure := 0, false
		for text, given := range f.given {
			if strings.Contains(text, m) {
				n, unsure = n+given, unsure || f.unsure[text]
			}
		}
		switch {
		case unsure:
		case n == 0 && !f.doubted(m):
			r.report(lost, "prompt %s has not reached the agent of %s", m, f.name)
		case n > 1:
			r.report(duplicated, "prompt %s has reached the agent of %s %d times", m, f.name, n)
		}
	}
	for _, b := range append(f.broken, f.proxy.Seen().Broken...) {
		r.report(otherwise, "%s cannot read: %s", f.name, b)
	}
	f.checkAnswers(all)
}

// doubted reports whether the agent of a prompt was killed before it was given the prompt.
func (f *foreign) doubted(m string) bool {
	for text, unsure := range f.unsure {
		if unsure && strings.Contains(text, m) {
			return true
		}
	}
	return false
}

// checkAnswers checks that the agents got the decisions of people, or that people got a notice that a decision may not have arrived.
func (f *foreign) checkAnswers(all []kit.Event) {
	told := uncertain(all)
	for _, e := range all {
		p := e.GetPermissionResolved()
		ask := f.asked[p.GetRequestId()]
		if ask == nil || p.GetReason() != "client" {
			continue
		}
		allowed := p.GetDecision() == pb.PermissionDecision_ALLOW_ONCE
		switch {
		case ask.answers == 0 && ask.by != f.agent: // which was killed
		case ask.answers == 0 && !told[p.GetRequestId()]:
			f.gateways.round.report(lost, "the decision about %s has not reached its agent", p.GetRequestId())
		case ask.answers > 0 && ask.allow != allowed:
			f.gateways.round.report(otherwise, "request %s was decided %v, and its agent was told allow %t", p.GetRequestId(), p.GetDecision(), ask.allow)
		}
	}
}
