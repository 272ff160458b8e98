package portal

import (
	"cmp"
	"context"
	"reflect"
	"regexp"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// facts are what pages get about a session besides its lines.
type facts struct {
	status string
	update wire.SessionUpdate
}

// factsOf returns the facts of a session. A session whose agent the daemon runs is active, since the
// daemon accepts input for it. The status of another one is that of its proxy.
func factsOf(s *pb.SessionSummary) facts {
	p := s.GetProxied()
	f := facts{status: "active", update: wire.SessionUpdate{
		SessionID: wire.UUID(s.GetId()), GitBranch: named(p.GetGitBranch()), PRURL: address(p.GetPrUrl(), webAddress), RepoURL: address(p.GetRepoUrl(), repository),
	}}
	switch {
	case p == nil:
	case p.GetEnded() != "":
		f.status = "inactive"
	case !p.GetConnected():
		f.status = "disconnected"
	}
	return f
}

// Pages turn the repository and the merge request that a proxy reports into links. The patterns refuse other texts,
// such as javascript: URLs, which would run with the rights of the person who follows them.
var (
	webAddress = regexp.MustCompile(`^(?i:https?)://[^\s\pC]+$`)
	repository = regexp.MustCompile(`^((?i:https?|ssh|git)://|[\w.-]+@[\w.-]+:)[^\s\pC]+$`)
)

// address returns text if it has the form, and nil otherwise.
func address(text string, form *regexp.Regexp) *string {
	if !form.MatchString(text) {
		return nil
	}
	return &text
}

func named(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// sendFacts sends the facts that have changed since they were last sent to the page.
func (v *view) sendFacts(ctx context.Context, s *pb.SessionSummary) {
	now, before := factsOf(s), v.sentFacts
	v.sentFacts = now
	if now.status != before.status {
		v.page.send(ctx, wire.SessionStatus{Status: now.status})
	}
	if !reflect.DeepEqual(now.update, before.update) {
		v.page.send(ctx, now.update)
	}
}

// proxied adds the facts about a session's proxy.
func (r *sessionRow) proxied(s *pb.SessionSummary) {
	f := factsOf(s)
	r.Status, r.Branch, r.PRURL, r.RepoURL = f.status, f.update.GitBranch, f.update.PRURL, f.update.RepoURL
	if p := s.GetProxied(); p != nil {
		r.Hostname, r.ClientVersion, r.AgentType = p.GetHostname(), p.GetClientVersion(), cmp.Or(p.GetAgentType(), r.AgentType)
	}
}
