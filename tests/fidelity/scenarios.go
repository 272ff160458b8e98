package main

import (
	"bytes"
	"image"
	"image/png"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// scenarios are what people do with an agent.
var scenarios = []scenario{
	{name: "text", run: func(s *stage) {
		c := s.converse(session())
		key := s.say(c, "say hello")
		s.answered(c, 0, key)
		s.text(c, 0, "this is a short answer")
	}},
	{name: "two turns", run: func(s *stage) {
		c := s.converse(session())
		next := s.answered(c, 0, s.say(c, "say hello"))
		s.answered(c, next, s.say(c, "again"))
		s.text(c, next, "the second answer")
		s.once("say hello")
	}},
	{name: "message while busy", run: func(s *stage) {
		c := s.converse(session())
		first := s.say(c, "tool please")
		e, next := s.wait(c, 0, kit.IsPermission)
		second := s.say(c, "echo: meanwhile")
		s.wait(c, next, func(e kit.Event) bool { return e.GetUserInput().GetIdempotencyKey() == second })
		s.must(c.Answer(e.GetPermissionRequest().GetRequestId(), pb.PermissionDecision_ALLOW_ONCE, ""), "allow")
		s.wait(c, next, has(first))
		s.wait(c, next, has(second))
	}},
	{name: "allow", run: func(s *stage) {
		c := s.converse(session())
		key := s.say(c, "tool please")
		_, next := s.allow(c, 0)
		s.answered(c, next, key)
		s.check(s.exists("made.txt"), "the tool did not run")
	}},
	{name: "deny with words", run: func(s *stage) {
		c := s.converse(session())
		key := s.say(c, "tool please")
		e, next := s.wait(c, 0, kit.IsPermission)
		s.must(c.Answer(e.GetPermissionRequest().GetRequestId(), pb.PermissionDecision_DENY, "use another way"), "deny")
		s.answered(c, next, key)
		s.text(c, 0, "use another way")
		s.check(!s.exists("made.txt"), "the tool ran")
	}},
	{name: "question", run: question},
	{name: "interrupt", run: func(s *stage) {
		c := s.converse(session())
		s.say(c, "slow please")
		_, next := s.wait(c, 0, kit.IsText)
		s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{}}}), "cancel")
		e, next := s.wait(c, next, kit.IsTurnComplete)
		s.check(e.GetTurnComplete().GetStopReason() == "cancelled", "the turn ended with %v", e.GetTurnComplete())
		_, next = s.wait(c, next, kit.IsIdle)
		s.answered(c, next, s.say(c, "say hello"))
	}},
	{name: "plan", run: plan},
	{name: "subagent with permission", run: func(s *stage) {
		c := s.converse(session())
		key := s.say(c, "delegate this")
		_, next := s.allow(c, 0)
		s.answered(c, next, key)
		s.check(s.exists("sub.txt"), "the subagent's command did not run")
		s.text(c, 0, "The subagent is finished")
	}},
	{name: "API error", run: func(s *stage) {
		c := s.converse(session())
		s.say(c, "malformed request")
		e, next := s.wait(c, 0, kit.IsTurnComplete)
		s.check(e.GetTurnComplete().GetIsError(), "an error calls itself success: %v", e.GetTurnComplete())
		_, next = s.wait(c, next, kit.IsIdle)
		s.answered(c, next, s.say(c, "say hello"))
	}},
	{name: "daemon killed, permission pending", run: func(s *stage) {
		id := session()
		c := s.converse(id)
		key := s.say(c, "tool please")
		s.wait(c, 0, kit.IsPermission)
		s.daemon.Kill()
		s.start()
		c = s.converse(id)
		_, next := s.allow(c, 0)
		s.answered(c, next, key)
		s.check(s.exists("made.txt"), "the tool did not run")
		s.once("tool please")
	}},
	{name: "agent killed in its first turn", run: func(s *stage) {
		c := s.converse(session())
		key := s.say(c, "say hello")
		s.wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
		s.killAgent(c)
		s.answered(c, 0, key)
		s.once("say hello")
	}},
	{name: "agent killed while a tool is asked for", run: func(s *stage) {
		c := s.converse(session())
		next := s.answered(c, 0, s.say(c, "say hello"))
		s.say(c, "tool please")
		_, next = s.wait(c, next, kit.IsPermission)
		s.killAgent(c)
		_, next = s.wait(c, next, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
		// An agent whose transcript has the call tells its model that the outcome is unknown, and
		// the scripted model does not repeat it. Any other agent makes the call again.
		again, _ := s.wait(c, next, func(e kit.Event) bool { return kit.IsPermission(e) || kit.IsIdle(e) })
		if !kit.IsPermission(again) {
			s.check(!s.exists("made.txt"), "the tool ran unasked")
			return
		}
		_, next = s.allow(c, next)
		s.wait(c, next, kit.IsIdle)
		s.check(s.exists("made.txt"), "the tool did not run")
	}},
	{name: "model switch", run: func(s *stage) {
		c := s.converse(session())
		next := s.answered(c, 0, s.say(c, "say hello"))
		const wanted = "claude-haiku-4-5"
		s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Settings{Settings: &pb.SessionSettingsChange{Model: wanted}}}), "switch")
		s.answered(c, next, s.say(c, "again"))
		requests := s.model.Requests()
		got := requests[len(requests)-1].Model
		s.check(got == wanted, "the model asked was %s", got)
	}},
	{name: "attachments", run: func(s *stage) {
		var picture bytes.Buffer
		s.must(png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 8, 8))), "draw")
		c := s.converse(session())
		key := uuid.NewString()
		s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{
			Content: "say hello", IdempotencyKey: key,
			Attachments: []*pb.Attachment{{Filename: "a.png", MimeType: "image/png", Data: picture.Bytes()}},
		}}}), "send")
		s.answered(c, 0, key)
		requests := s.model.Requests()
		s.check(bytes.Contains(requests[len(requests)-1].Body, []byte(`"image"`)), "the model got no image")
	}},
	{name: "six sessions", run: func(s *stage) {
		for range 6 { // one more than run at once: one is parked
			c := s.converse(session())
			s.answered(c, 0, s.say(c, "say hello"))
		}
	}},
}

// has reports whether an event ends the turn that answers a message.
func has(key string) func(kit.Event) bool {
	return func(e kit.Event) bool {
		for _, k := range e.GetTurnComplete().GetInputKeys() {
			if k == key {
				return true
			}
		}
		return false
	}
}

func question(s *stage) {
	c := s.converse(session())
	key := s.say(c, "ask me")
	next := 0
	for _, answer := range []string{"develop", "lint, test", "yes"} {
		var e kit.Event
		e, next = s.wait(c, next, func(e kit.Event) bool { return e.GetUserQuestion() != nil && e.GetSequence() > 0 })
		q := e.GetUserQuestion()
		s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_QuestionResponse{QuestionResponse: &pb.UserQuestionResponse{
			QuestionId: q.GetQuestionId(), Answers: map[string]string{q.GetQuestion(): answer},
		}}}), "answer")
	}
	s.answered(c, next, key)
	for _, want := range []string{"develop", "lint, test", "yes"} {
		s.text(c, 0, want)
	}
}

func plan(s *stage) {
	c := s.converseWith(&pb.StartConversation{SessionId: session(), WorkingDirectory: s.world.Project, PlanMode: true})
	key := s.say(c, "plan the work")
	asked, next := s.allow(c, 0)
	s.check(asked.GetToolName() == "ExitPlanMode", "asked for %s", asked.GetToolName())
	asked, next = s.allow(c, next)
	s.check(asked.GetToolName() == "Bash", "asked for %s", asked.GetToolName())
	s.answered(c, next, key)
	s.check(s.exists("planned.txt"), "the plan was not carried out")
}
