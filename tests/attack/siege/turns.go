package siege

import (
	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// RunTurn sends a message, allows all requests, and waits for the end of the turn.
func (s *Siege) RunTurn(c *kit.Stream, text string) {
	from := len(c.Events())
	if request, asked := s.Asked(c, text); asked {
		s.Must(c.Answer(request.GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "allow")
	}
	s.Wait(c, from, kit.IsTurnComplete)
}

// Turns counts the turns that have ended.
func Turns(c *kit.Stream) (n int) {
	for _, e := range c.Events() {
		if kit.IsTurnComplete(e) {
			n++
		}
	}
	return n
}

// Turn sends a message and waits for the end of the turn.
func (s *Siege) Turn(c *kit.Stream, text string) {
	from := len(c.Events())
	s.Say(c, text)
	s.Wait(c, from, kit.IsTurnComplete)
	s.Wait(c, from, kit.IsIdle)
}

// In attaches to a new session in a directory.
func (s *Siege) In(directory, id string) *kit.Stream {
	return s.ConverseWith("person", &pb.StartConversation{SessionId: id, WorkingDirectory: directory})
}
