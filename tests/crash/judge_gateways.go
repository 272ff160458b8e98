package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"betcode/tests/kit"
)

// unrest describes what a peer of the gateways waits for.
func (g *gateways) unrest(ctx context.Context) string {
	for _, f := range g.foreign {
		if what := f.unrest(ctx); what != "" {
			return what
		}
	}
	for _, id := range []string{g.own, g.watcher.session, g.guest.session} {
		shown := g.round.show(ctx, id)
		if shown == nil || len(shown.GetInputs())+len(shown.GetPermissions()) > 0 || shown.GetSummary().GetStatus() == "active" {
			return fmt.Sprintf("session %s: %v", id, shown)
		}
	}
	if what := g.watcher.owner.unrest(); what != "" {
		return what
	}
	wholes := map[string][]string{}
	for _, p := range g.pages {
		if wholes[p.session] == nil {
			whole, err := g.whole(p.session)
			if err != nil {
				return err.Error()
			}
			wholes[p.session] = whole
		}
		if what := p.unrest(wholes[p.session]); what != "" {
			return what
		}
	}
	return g.guest.unrest(wholes[g.guest.session])
}

// messages returns the marks of a session as the API of the portal has them, and the time of its last line.
func (g *gateways) messages(browser *kit.Browser, session string) (marks []string, last string, err error) {
	status, body, err := browser.JSON(http.MethodGet, "/api/sessions/"+session+"/messages", nil)
	if err != nil || status != http.StatusOK {
		return nil, "", fmt.Errorf("messages of session %s: status %d, %v", session, status, err) //nolint:errorlint // there may be none
	}
	var answer struct {
		Messages []struct {
			Content   string `json:"content"`
			CreatedAt string `json:"created_at"`
		} `json:"messages"`
		Total int `json:"total"`
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		return nil, "", err
	}
	if answer.Total > len(answer.Messages) { // a round must have fewer messages
		g.round.report(otherwise, "session %s has %d messages, and %d are shown", session, answer.Total, len(answer.Messages))
	}
	marks = []string{}
	for _, m := range answer.Messages {
		marks, last = append(marks, marksOf(json.RawMessage(m.Content))...), m.CreatedAt
	}
	return marks, last, nil
}

// whole returns the marks of a session.
func (g *gateways) whole(session string) ([]string, error) {
	marks, _, err := g.messages(g.browser(), session)
	return marks, err
}

// compare compares what everybody has with the journal. Everybody is at rest.
func (g *gateways) compare(ctx context.Context) {
	wholes, histories := map[string][]string{}, map[string][]kit.Event{}
	sessions := []string{g.own, g.watcher.session, g.guest.session}
	for _, f := range g.foreign {
		sessions = append(sessions, f.session)
	}
	for _, id := range sessions {
		whole, err := g.whole(id)
		if err != nil {
			g.round.report(otherwise, "session %s is not shown: %v", id, err)
			return
		}
		all, err := g.round.export(ctx, id)
		if err != nil {
			g.round.report(lost, "session %s is not exported: %v", id, err)
			return
		}
		prompts, texts := journaledMarks(all)
		g.round.compareMarks(ofKind("u", whole), prompts, "prompts of session %s at the portal and in the journal", id)
		g.round.compareMarks(ofKind("a", whole), texts, "texts of session %s at the portal and in the journal", id)
		g.round.checkLives(id, all)
		wholes[id], histories[id] = whole, all
	}
	for _, p := range g.pages {
		p.check(wholes[p.session])
	}
	for _, f := range g.foreign {
		f.check(histories[f.session])
	}
	g.watcher.owner.check(ofKind("u", wholes[g.watcher.session]))
	g.guest.check(wholes[g.guest.session])
	for _, id := range sessions[:3] {
		g.conversedOnce(id, histories[id])
	}
	g.round.note("behind the gateways: %d prompts of pages and of the agent socket confirmed, %d of the foreign portal, %d lines of foreign agents",
		g.confirmed(), len(g.guest.said), len(g.foreign[0].lines)+len(g.foreign[1].lines)+len(g.foreign[2].lines))
}

// conversedOnce checks that each message of a session is in its agent's conversation once.
func (g *gateways) conversedOnce(id string, all []kit.Event) {
	accepted, err := g.round.inTranscript(nil, conversationOf(id, all))
	if err != nil {
		g.round.report(otherwise, "the conversation of %s: %v", id, err)
		return
	}
	for _, e := range all {
		if in := e.GetUserInput(); in != nil {
			g.round.checkCount(&message{in.GetIdempotencyKey(), in.GetContent()}, "taken into the conversation", accepted[in.GetIdempotencyKey()], false)
		}
	}
	for key, n := range accepted {
		if n > 1 || !slices.ContainsFunc(all, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == key }) {
			g.round.report(duplicated, "the conversation of %s has message %s %d times", id, key, n)
		}
	}
}
