package main

import (
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// repeatScenarios attack what docs/security.md says of repeated prompts.
var repeatScenarios = []scenario{
	{name: "repeat: people who may only view", env: listening, attack: attackRepeatByViewers},
	{name: "repeat: without end", attack: attackRepeatWithoutEnd},
}

// repeats sends a message that is to be repeated.
func (s *siege) repeats(c *kit.Stream, text string, r *pb.Repeat) {
	s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: text, Repeat: r}}}), "send a message")
}

func isRefusal(e kit.Event) bool { return e.GetError() != nil && e.GetSequence() == 0 }

func repeatEnds(e kit.Event) bool {
	return e.GetRepeat().GetState() > pb.RepeatState_REPEAT_STATE_PROMPTED
}

// attackRepeatByViewers repeats a prompt, and ends the repetition of another client, with tokens that may not type.
func attackRepeatByViewers(s *siege) {
	id := session()
	owner := s.converse("person", id)
	s.repeats(owner, "gate:go\nuntil:2", &pb.Repeat{})
	s.wait(owner, 0, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	for _, scope := range []string{"view", "approve"} {
		conn := s.remote(s.address(), s.token(scope, scope))
		_, err := pb.NewAdminServiceClient(conn).StopRepeat(s, &pb.StopRepeatRequest{SessionId: id})
		s.held("a token with "+scope+" ends no repetition", status.Code(err) == codes.PermissionDenied, "%v", err)
	}
	phone := s.over(s.remote(s.address(), s.token("phone", "approve")), "phone", &pb.StartConversation{SessionId: id, History: pb.HistoryPolicy_HISTORY_POLICY_NONE})
	s.repeats(phone, "echo:typed by the phone", &pb.Repeat{Max: 3})
	s.wait(phone, 0, isRefusal)
	s.write(s.project("go"), "")
	s.wait(owner, 0, repeatEnds)
	typed := slices.ContainsFunc(owner.Events(), func(e kit.Event) bool { return strings.Contains(e.GetUserInput().GetContent(), "phone") })
	s.held("it repeats nothing", !typed, "it did")
}

// attackRepeatWithoutEnd asks for more prompts than there may be, for markers that no answer is or that deceive readers, for two
// repetitions at once, and has the count begin anew by killing the daemon.
func attackRepeatWithoutEnd(s *siege) {
	id := session()
	c := s.converse("person", id)
	for name, r := range map[string]*pb.Repeat{
		"more than 50 prompts":         {Max: 51},
		"as many as there are":         {Max: 1<<32 - 1},
		"a marker with escapes":        {Marker: "\x1b[2JDONE"},
		"a marker of several lines":    {Marker: "DONE\nand more"},
		"a marker of hidden letters":   {Marker: "\u202eENOD"},
		"a marker that fills a screen": {Marker: strings.Repeat("x", 4096)},
	} {
		from := len(c.Events())
		s.repeats(c, "echo:more", r)
		_, next := s.wait(c, from, isRefusal)
		s.held(name, !slices.ContainsFunc(c.Events()[:next], func(e kit.Event) bool { return e.GetUserInput() != nil }), "it was accepted")
	}
	from := len(c.Events())
	s.repeats(c, strings.Repeat("x", 33<<10), &pb.Repeat{})
	s.wait(c, from, isRefusal)
	s.held("a text that would fill each record", true, "")

	s.repeats(c, "sleep:50ms\nuntil:99", &pb.Repeat{Max: 4})
	s.wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	from = len(c.Events())
	s.repeats(c, "until:99", &pb.Repeat{Max: 4})
	s.wait(c, from, isRefusal)
	s.held("a second one in the session", true, "")
	for range 3 {
		s.daemon.Kill()
		s.start()
		c = s.converse("person", id)
		s.wait(c, 0, func(e kit.Event) bool { return e.GetRepeat() != nil })
	}
	s.wait(c, 0, repeatEnds)
	n := 0
	for _, e := range c.Events() {
		if e.GetUserInput().GetIteration() > 0 {
			n++
		}
	}
	s.held("kills do not begin the count anew", n == 4, "%d prompts", n)
}
