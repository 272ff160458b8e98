package siege

import (
	"strings"

	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

// Audited reports whether the audit log has an entry of a type.
func (s *Siege) Audited(what string) bool {
	return s.Becomes(func() bool {
		printed, _ := s.Cli("audit", "--json")
		return strings.Contains(printed, what)
	})
}

// CanFence reports whether the kernel can fence at all, by the daemon's own word.
func (s *Siege) CanFence() bool {
	printed, _ := s.Cli("daemon", "status")
	return !strings.Contains(printed, "fence_unavailable") && !strings.Contains(printed, "this system cannot")
}

// Shown returns the daemon's description of a session.
func (s *Siege) Shown(id string) *pb.ShowSessionResponse {
	view, err := s.Daemon.Admin().ShowSession(s, &pb.ShowSessionRequest{SessionId: id})
	s.Must(err, "show the session")
	return view
}

// Plain reports whether a person sees every character of a text.
func Plain(text string) bool {
	return strings.IndexFunc(strings.NewReplacer("\n", "", "\t", "").Replace(text), visible.Hidden) < 0
}

// Restricted reports whether the daemon withholds settings from a session.
func (s *Siege) Restricted(id string) bool {
	view := s.Shown(id)
	return view.GetRestricted() && len(view.GetWithheld()) > 0
}
