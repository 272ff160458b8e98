package callers

import (
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// repeatScenarios attack the claims of docs/security.md about repeated prompts.
var repeatScenarios = []siege.Scenario{
	{Name: "repeat: people who may only view", Env: siege.Listening, Attack: attackRepeatByViewers},
	{Name: "repeat: without end", Attack: attackRepeatWithoutEnd},
}

// repeats sends a message that is to be repeated.
func repeats(s *siege.Siege, c *kit.Stream, text string, r *pb.Repeat) {
	s.Must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: text, Repeat: r}}}), "send a message")
}

func isRefusal(e kit.Event) bool { return e.GetError() != nil && e.GetSequence() == 0 }

func repeatEnds(e kit.Event) bool {
	return e.GetRepeat().GetState() > pb.RepeatState_REPEAT_STATE_PROMPTED
}

// attackRepeatByViewers repeats a prompt, and ends the repetition of another client, with tokens that may not type.
func attackRepeatByViewers(s *siege.Siege) {
	id := siege.NewSession()
	owner := s.Converse("person", id)
	repeats(s, owner, "gate:go\nuntil:2", &pb.Repeat{})
	s.Wait(owner, 0, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	for _, scope := range []string{"view", "approve"} {
		conn := s.Remote(s.Address(), s.Token(scope, scope))
		_, err := pb.NewAdminServiceClient(conn).StopRepeat(s, &pb.StopRepeatRequest{SessionId: id})
		s.Held("a token with "+scope+" ends no repetition", status.Code(err) == codes.PermissionDenied, "%v", err)
	}
	phone := over(s, s.Remote(s.Address(), s.Token("phone", "approve")), "phone", &pb.StartConversation{SessionId: id, History: pb.HistoryPolicy_HISTORY_POLICY_NONE})
	repeats(s, phone, "echo:typed by the phone", &pb.Repeat{Max: 3})
	s.Wait(phone, 0, isRefusal)
	s.Write(s.Project("go"), "")
	s.Wait(owner, 0, repeatEnds)
	typed := slices.ContainsFunc(owner.Events(), func(e kit.Event) bool { return strings.Contains(e.GetUserInput().GetContent(), "phone") })
	s.Held("it repeats nothing", !typed, "it did")
}

// attackRepeatWithoutEnd asks for more prompts than there may be, for markers that no answer is or that deceive readers, for two
// repetitions at once, and has the count begin anew by killing the daemon.
func attackRepeatWithoutEnd(s *siege.Siege) {
	id := siege.NewSession()
	c := s.Converse("person", id)
	for name, r := range map[string]*pb.Repeat{
		"more than 50 prompts":         {Max: 51},
		"as many as there are":         {Max: 1<<32 - 1},
		"a marker with escapes":        {Marker: "\x1b[2JDONE"},
		"a marker of several lines":    {Marker: "DONE\nand more"},
		"a marker of hidden letters":   {Marker: "\u202eENOD"},
		"a marker that fills a screen": {Marker: strings.Repeat("x", 4096)},
	} {
		from := len(c.Events())
		repeats(s, c, "echo:more", r)
		_, next := s.Wait(c, from, isRefusal)
		s.Held(name, !slices.ContainsFunc(c.Events()[:next], func(e kit.Event) bool { return e.GetUserInput() != nil }), "it was accepted")
	}
	from := len(c.Events())
	repeats(s, c, strings.Repeat("x", 33<<10), &pb.Repeat{})
	s.Wait(c, from, isRefusal)
	s.Held("a text that would fill each record", true, "")

	repeats(s, c, "sleep:50ms\nuntil:99", &pb.Repeat{Max: 4})
	s.Wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
	from = len(c.Events())
	repeats(s, c, "until:99", &pb.Repeat{Max: 4})
	s.Wait(c, from, isRefusal)
	s.Held("a second one in the session", true, "")
	for range 3 {
		s.Daemon.Kill()
		s.Start()
		c = s.Converse("person", id)
		s.Wait(c, 0, func(e kit.Event) bool { return e.GetRepeat() != nil })
	}
	s.Wait(c, 0, repeatEnds)
	n := 0
	for _, e := range c.Events() {
		if e.GetUserInput().GetIteration() > 0 {
			n++
		}
	}
	s.Held("kills do not begin the count anew", n == 4, "%d prompts", n)
}
