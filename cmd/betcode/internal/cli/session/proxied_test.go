package session

import (
	"testing"

	"betcode/cmd/betcode/internal/sessionstate"
	pb "betcode/proto/betcode/v1"
)

func TestProxiedSessionIsShown(t *testing.T) {
	for _, c := range []struct {
		name                  string
		proxy                 *pb.ProxiedSession
		why, place, proxyText string
	}{
		{"none", nil, "", "/work", ""},
		{
			"connected", &pb.ProxiedSession{Connected: true, Hostname: "laptop", ClientVersion: "2.4", AgentType: "claude", GitBranch: "main", Owner: "phone"},
			"", "laptop:/work", "connected, claude under proxy 2.4, branch main, token phone",
		},
		{
			"away", &pb.ProxiedSession{AgentType: "codex"},
			"its proxy is not connected", "elsewhere:/work", "not connected: messages and decisions wait for it, codex under proxy",
		},
		{
			"ended", &pb.ProxiedSession{AgentType: "claude", Ended: "stopped by a user"},
			"ended", "elsewhere:/work", "ended: stopped by a user, claude under proxy",
		},
	} {
		s := &pb.SessionSummary{Status: "idle", WorkingDirectory: "/work", Proxied: c.proxy}
		if got := whyOf(s, sessionstate.Of(s)); got != c.why {
			t.Errorf("%s: why %q", c.name, got)
		}
		if got := placeOf(s); got != c.place {
			t.Errorf("%s: place %q", c.name, got)
		}
		if got := proxyText(c.proxy); c.proxy != nil && got != c.proxyText {
			t.Errorf("%s: proxy %q", c.name, got)
		}
	}
}
