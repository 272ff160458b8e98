package session

import (
	"cmp"
	"strings"

	pb "betcode/proto/betcode/v1"
)

// placeOf returns where the agent of a session works, with the machine if that is another one.
func placeOf(s *pb.SessionSummary) string {
	if p := s.GetProxied(); p != nil {
		return cmp.Or(p.GetHostname(), "elsewhere") + ":" + s.GetWorkingDirectory()
	}
	return s.GetWorkingDirectory()
}

// proxyText describes the proxy of a session in one line.
func proxyText(p *pb.ProxiedSession) string {
	state := "not connected: messages and decisions wait for it"
	switch {
	case p.GetEnded() != "":
		state = "ended: " + p.GetEnded()
	case p.GetConnected():
		state = "connected"
	}
	words := []string{state, strings.TrimSpace(p.GetAgentType() + " under proxy " + p.GetClientVersion())}
	for _, fact := range []struct{ name, text string }{
		{"branch", p.GetGitBranch()}, {"repository", p.GetRepoUrl()}, {"merge request", p.GetPrUrl()}, {"token", p.GetOwner()},
	} {
		if fact.text != "" {
			words = append(words, fact.name+" "+fact.text)
		}
	}
	return strings.Join(words, ", ")
}
