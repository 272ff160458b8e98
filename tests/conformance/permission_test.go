package conformance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// permissionStories are about what agents ask for.
var permissionStories = []story{
	{name: "rules", setup: func(_ *testing.T, w *kit.World) error {
		return config(w, `{"permissions": {
			"allow": ["Bash(git *)", "Bash(echo *)", "Edit(src/**/*.ts)", "mcp__github__*"],
			"ask": ["Bash(echo ask)"], "deny": ["Bash(rm *)", "WebSearch"]}}`)
	}, run: rules},
	{name: "answers", run: answers},
	{name: "patience", run: patience},
	{name: "other patience", setup: func(_ *testing.T, w *kit.World) error {
		return config(w, `{"permissions": {"default_ttl": "3h", "min_ttl": "2h", "max_ttl": "4h",
			"extend_on_activity": false, "reminder_intervals": ["2h"]}}`)
	}, run: otherPatience},
}

// rules decide calls without a prompt.
func rules(s *stage) {
	c := s.converse("a", &pb.StartConversation{})
	next := 0
	for _, test := range []struct{ say, result string }{
		{"run:git --version", "git version"},
		{`tool:Edit:{"file_path":"src/deep/down/x.ts"}`, ""},
		{`tool:mcp__github__search:{}`, ""},
		{"run:echo x; rm -f nothing", "A rule forbids this call"},
		{`tool:WebSearch:{"query":"x"}`, "No such tool"}, // the agent gets the rule at its start
	} {
		s.say(c, test.say)
		_, next = s.wait(c, next, isResult(test.result))
		_, next = s.wait(c, next, kit.IsIdle)
	}
	for _, e := range c.Events() {
		if kit.IsPermission(e) {
			s.Errorf("asked: %s", kit.Line(e))
		}
	}
	s.shows("Permission Bridge", "1. Deny rules", "2. Allow rules", "Rule Bash(git *)", "Rule Edit(src/**/*.ts)", "Rule mcp__github__*", "Rule Bash")
	s.say(c, "run:echo ask")
	asked, next := s.wait(c, next, kit.IsPermission)
	s.answer(c, asked, pb.PermissionDecision_ALLOW_ONCE)
	s.wait(c, next, kit.IsIdle)
	s.shows("Permission Bridge", "The order of the rules")
}

// answers count once, from any client and however often.
func answers(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.say(c, "run:echo done >> made.txt; cat made.txt")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	c.Close()
	s.daemon.Kill()
	s.start()
	pending, err := s.daemon.Admin().ListPermissions(s.Context(), &pb.ListPermissionsRequest{})
	s.must(err)
	if p := pending.GetPermissions(); len(p) != 1 || p[0].GetRequestId() != asked.GetPermissionRequest().GetRequestId() {
		s.Errorf("pending: %v", p)
	}
	s.shows("Database Persistence (Required for Mobile-First TTL)", "A pending permission survives a restart")
	s.shows("Timeout Behavior (Mobile-First Design)", "No client connected: it waits")

	c = s.converse("a", &pb.StartConversation{SessionId: id})
	again, _ := s.wait(c, 0, isReplay)
	if again.GetPermissionRequest().GetRequestId() != asked.GetPermissionRequest().GetRequestId() || again.GetSequence() != 0 {
		s.Errorf("it is shown again as %v", again)
	}
	s.shows("Reconnection Replay Protocol", "Pending requests are shown again under their request_id", "is_replay is set")

	key, request := uuid.NewString(), asked.GetPermissionRequest().GetRequestId()
	respond := func(key string, decision pb.PermissionDecision) {
		s.must(c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
			RequestId: request, Decision: decision, IdempotencyKey: key,
		}}}))
	}
	respond(key, pb.PermissionDecision_ALLOW_SESSION)
	respond(key, pb.PermissionDecision_ALLOW_SESSION)
	respond(uuid.NewString(), pb.PermissionDecision_DENY)
	resolved, next := s.wait(c, 0, isResolved)
	if r := resolved.GetPermissionResolved(); r.GetResolvedBy() != "a" || r.GetDecision() != pb.PermissionDecision_ALLOW_SESSION {
		s.Errorf("resolved as %v", r)
	}
	s.wait(c, next, isResult("done"))
	_, next = s.wait(c, next, kit.IsIdle)
	late, err := s.daemon.Admin().AnswerPermission(s.Context(), &pb.AnswerPermissionRequest{
		RequestId: request, SessionId: id, Decision: pb.PermissionDecision_DENY,
	})
	s.must(err)
	if late.GetApplied() || late.GetResolvedBy() != "a" {
		s.Errorf("a late answer: %v", late)
	}
	for _, e := range c.Events() {
		if e.GetError() != nil {
			s.Errorf("a response that is given again is an error: %s", kit.Line(e))
		}
	}
	s.took("PermissionResponse", "idempotency_key")
	s.shows("Reconnection Replay Protocol", "A second response is ignored")
	s.shows("Idempotent Response Handling", "2. A response that is given again succeeds", "3. The first response counts")
	s.shows("Timeout Behavior (Mobile-First Design)", "Explicit user action: immediate")

	s.turn(c, next, "run:echo granted for the session")
	_, err = s.daemon.Admin().AnswerPermission(s.Context(), &pb.AnswerPermissionRequest{
		RequestId: "nobody", SessionId: id, Decision: pb.PermissionDecision_DENY,
	})
	s.refused(err, codes.FailedPrecondition, "not pending")
	s.shows("Idempotent Response Handling", "1. request_id has to be pending")
}

// patience: a request waits seven days, from the last sign of a client on.
func patience(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.say(c, "run:true\necho:after it")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	p := asked.GetPermissionRequest()
	if wait := p.GetExpiresAt().AsTime().Sub(asked.GetTimestamp().AsTime()); wait.Round(time.Minute) != 7*24*time.Hour {
		s.Errorf("it waits %s", wait)
	}
	s.shows("Timeout Behavior (Mobile-First Design)", "Default permission TTL: 7 days")
}

// otherPatience: the settings change the time to live of requests.
func otherPatience(s *stage) {
	id := session()
	c := s.converse("a", &pb.StartConversation{SessionId: id})
	s.say(c, "run:true")
	asked, _ := s.wait(c, 0, kit.IsPermission)
	p := asked.GetPermissionRequest()
	if wait := p.GetExpiresAt().AsTime().Sub(asked.GetTimestamp().AsTime()); wait.Round(time.Minute) != 3*time.Hour {
		s.Errorf("it waits %s", wait)
	}
	for setting, wrong := range map[string]string{"default_ttl": "31d", "min_ttl": "1s", "max_ttl": "31d"} {
		if said := s.cli(5, "config", "set", "permissions."+setting, wrong); !strings.Contains(said, wrong) {
			s.Errorf("%s is refused like this: %s", setting, said)
		}
		s.shows("Timeout Behavior (Mobile-First Design)", "permissions."+setting)
	}
	shown := s.cli(0, "config", "show")
	for setting, is := range map[string]string{"extend_on_activity": "false", "reminder_intervals": "2h"} {
		if !strings.Contains(shown, is) {
			s.Errorf("%s is not shown:\n%s", setting, shown)
		}
		s.shows("Timeout Behavior (Mobile-First Design)", fmt.Sprintf("permissions.%s", setting))
	}
}
