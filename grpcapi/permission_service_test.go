package grpcapi

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/grpcapi/translate"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func TestExplainPermission(t *testing.T) {
	asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		if _, ok := r.(messages.GetSession); ok {
			return messages.SessionView{Record: messages.SessionRecord{WorkingDirectory: "/w"}}, nil
		}
		return nil, nil
	}}
	conn, _ := serve(t, asker)
	client := pb.NewAdminServiceClient(conn)
	for name, c := range map[string]struct {
		request *pb.ExplainPermissionRequest
		why     string // empty: refused
	}{
		"argument":     {&pb.ExplainPermissionRequest{ToolName: "Bash", Argument: "ls", WorkingDirectory: "/x"}, "ls in /x"},
		"input":        {&pb.ExplainPermissionRequest{ToolName: "Bash", Input: translate.StructOut([]byte(`{"a":"<"}`)), WorkingDirectory: "/x"}, `{"a":"<"} in /x`},
		"session":      {&pb.ExplainPermissionRequest{ToolName: "Bash", Argument: "ls", SessionId: sessionA}, "ls in /w"},
		"no tool":      {&pb.ExplainPermissionRequest{Argument: "ls", WorkingDirectory: "/x"}, ""},
		"no argument":  {&pb.ExplainPermissionRequest{ToolName: "Bash", WorkingDirectory: "/x"}, ""},
		"nowhere":      {&pb.ExplainPermissionRequest{ToolName: "Bash", Argument: "ls"}, ""},
		"two places":   {&pb.ExplainPermissionRequest{ToolName: "Bash", Argument: "ls", SessionId: sessionA, WorkingDirectory: "/x"}, ""},
		"relative one": {&pb.ExplainPermissionRequest{ToolName: "Bash", Argument: "ls", WorkingDirectory: "x"}, ""},
	} {
		got, err := client.ExplainPermission(as(t, "c"), c.request)
		if (err == nil) != (c.why != "") || (err != nil && status.Code(err) != codes.InvalidArgument) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.GetWhy() != c.why || (err == nil && (got.GetEffect() != "allow" || got.GetKnownRules() != 3 || len(got.GetRules()) != 1 || len(got.GetProblems()) != 1)) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTrustDirectory(t *testing.T) {
	conn, _ := serve(t, &fakeAsker{})
	client := pb.NewAdminServiceClient(conn)
	for want, r := range map[string]*pb.TrustDirectoryRequest{
		"/x true": {Directory: "/x"}, "/x false": {Directory: "/x", Remove: true}, " true": {},
	} {
		got, err := client.TrustDirectory(as(t, "c"), r)
		if err != nil || strings.Join(got.GetDirectories(), " ") != want {
			t.Errorf("%q: %v, %v", want, got, err)
		}
	}
	if _, err := client.TrustDirectory(as(t, "c"), &pb.TrustDirectoryRequest{Directory: "x"}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a relative directory: %v", err)
	}
	got, err := client.TrustDirectory(as(t, "c"), &pb.TrustDirectoryRequest{Directory: "/x", Inspect: true})
	if r := got.GetReview(); err != nil || r.GetDirectory() != "/x" || r.GetDigest() != "d" || !r.GetKnown() || len(r.GetFindings()) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := client.TrustDirectory(as(t, "c"), &pb.TrustDirectoryRequest{Inspect: true}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("inspect nothing: %v", err)
	}
}

func TestTestRules(t *testing.T) {
	asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		switch r := r.(type) {
		case messages.ListSessions:
			if r.Offset > 0 {
				return messages.SessionList{}, nil
			}
			return messages.SessionList{Sessions: []messages.SessionRecord{{ID: "gone"}, {ID: sessionA}}}, nil
		case messages.TestRules:
			if r.Session == "gone" {
				return nil, messages.Errorf("x", messages.NotFound, "gone")
			}
			err := r.Found(messages.TestedCall{Seq: 7, Tool: "Bash", Was: "DENY", By: "ann", Effect: "allow", Rules: r.Rules.Allow})
			return messages.RulesTested{Calls: 1, Problems: r.Rules.Deny}, err
		}
		return nil, nil
	}}
	conn, _ := serve(t, asker)
	for _, session := range []string{"", sessionA} {
		stream := must[pb.AdminService_TestRulesClient](t)(pb.NewAdminServiceClient(conn).TestRules(as(t, "c"), &pb.TestRulesRequest{
			SessionId: session, Allow: []string{"Bash"}, Deny: []string{"Read"},
		}))
		call, summary := must[*pb.TestRulesResponse](t)(stream.Recv()), must[*pb.TestRulesResponse](t)(stream.Recv())
		if call.GetSessionId() != sessionA || call.GetSequence() != 7 || call.GetResolvedBy() != "ann" || call.GetRules()[0] != "Bash" {
			t.Errorf("call %v", call)
		}
		if summary.GetSessionId() != "" || summary.GetCalls() != 1 || summary.GetProblems()[0] != "Read" {
			t.Errorf("summary %v", summary)
		}
	}
	stream := must[pb.AdminService_TestRulesClient](t)(pb.NewAdminServiceClient(conn).TestRules(as(t, "c"), &pb.TestRulesRequest{Ask: []string{" "}}))
	if _, err := stream.Recv(); status.Code(err) != codes.InvalidArgument {
		t.Errorf("an empty rule: %v", err)
	}
}
