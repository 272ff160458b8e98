package portal

import (
	"cmp"
	"context"
	"reflect"
	"regexp"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// facts are what pages are told of a session beside its lines.
type facts struct {
	status string
	update wire.SessionUpdate
}

// factsOf returns the facts of a session. One whose agent the daemon runs is active: the daemon accepts
// input for it. One of a proxy is as its proxy is.
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

// A page makes links of what a proxy says that its repository and its merge request are. Any other text, such as javascript:, would
// run as the person who follows it.
var (
	webAddress = regexp.MustCompile(`^(?i:https?)://[^\s\pC]+$`)
	repository = regexp.MustCompile(`^((?i:https?|ssh|git)://|[\w.-]+@[\w.-]+:)[^\s\pC]+$`)
)

// address returns an address of that form; nil for any other text.
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

// tell sends the facts that have changed since the page was told.
func (v *view) tell(ctx context.Context, s *pb.SessionSummary) {
	now, before := factsOf(s), v.told
	v.told = now
	if now.status != before.status {
		v.page.send(ctx, wire.SessionStatus{Status: now.status})
	}
	if !reflect.DeepEqual(now.update, before.update) {
		v.page.send(ctx, now.update)
	}
}

// proxied fills in what is known of the proxy of a session.
func (r *sessionRow) proxied(s *pb.SessionSummary) {
	f := factsOf(s)
	r.Status, r.Branch, r.PRURL, r.RepoURL = f.status, f.update.GitBranch, f.update.PRURL, f.update.RepoURL
	if p := s.GetProxied(); p != nil {
		r.Hostname, r.ClientVersion, r.AgentType = p.GetHostname(), p.GetClientVersion(), cmp.Or(p.GetAgentType(), r.AgentType)
	}
}
