package sessionstate

import (
	"cmp"

	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// Label returns what people call a session, on one line: its name, or its title while it has none. It is empty before the
// first prompt of a session without a name.
func Label(s *pb.SessionSummary) string {
	return console.Line(cmp.Or(s.GetName(), s.GetTitle()))
}
