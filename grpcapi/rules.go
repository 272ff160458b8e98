package grpcapi

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// TestRules implements AdminService. It tests the sessions one by one and sends the summary last.
func (s adminService) TestRules(r *pb.TestRulesRequest, stream grpc.ServerStreamingServer[pb.TestRulesResponse]) error {
	const op = "test rules"
	end, err := s.one.rules.begin(op, "rules are tested")
	if err != nil {
		return err
	}
	defer end()
	if err := stream.SendHeader(metadata.MD{}); err != nil {
		return err
	}
	var lists *messages.RuleLists
	if len(r.GetAllow())+len(r.GetAsk())+len(r.GetDeny()) > 0 {
		lists = &messages.RuleLists{Allow: r.GetAllow(), Ask: r.GetAsk(), Deny: r.GetDeny()}
		for field, rules := range map[string][]string{"allow": lists.Allow, "ask": lists.Ask, "deny": lists.Deny} {
			if _, err := translate.ToolsIn(op, field, rules); err != nil {
				return err
			}
		}
	}
	summary := &pb.TestRulesResponse{}
	test := func(session messages.SessionID) error {
		tested, err := handler.Ask[messages.RulesTested](stream.Context(), s.asker, messages.TestRules{
			Session: session, Rules: lists, Found: func(c messages.TestedCall) error { return stream.Send(translate.TestedOut(session, c)) },
		})
		summary.Calls += uint64(tested.Calls)
		summary.Problems = tested.Problems
		return err
	}
	if r.GetSessionId() == "" {
		err = s.eachSession(stream.Context(), test)
	} else {
		var session messages.SessionID
		if session, err = s.resolve(stream.Context(), r.GetSessionId()); err == nil {
			err = test(session)
		}
	}
	if err != nil {
		return err
	}
	return stream.Send(summary)
}

// eachSession calls a function for every session and skips sessions that were deleted meanwhile.
func (s adminService) eachSession(ctx context.Context, do func(messages.SessionID) error) error {
	var all []messages.SessionID
	for {
		page, err := handler.Ask[messages.SessionList](ctx, s.asker, messages.ListSessions{Offset: len(all)})
		if err != nil {
			return err
		}
		if len(page.Sessions) == 0 {
			break
		}
		for i := range page.Sessions {
			all = append(all, page.Sessions[i].ID)
		}
	}
	for _, session := range all {
		if err := do(session); err != nil && messages.KindOf(err) != messages.NotFound {
			return err
		}
	}
	return nil
}
