package translate

import (
	"strings"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// proxiedOut translates the record of a session's proxy; nil for a session whose agent the daemon runs.
func proxiedOut(p *messages.ProxyRecord) *pb.ProxiedSession {
	if p == nil {
		return nil
	}
	return &pb.ProxiedSession{
		Hostname: p.Host, Connected: p.Connected, ClientVersion: p.Version, AgentType: p.Agent,
		GitBranch: p.Facts.Branch, RepoUrl: p.Facts.Repository, PrUrl: p.Facts.MergeRequest,
		Owner: strings.ToValidUTF8(p.Owner, "?"), Ended: p.Ended,
	}
}
