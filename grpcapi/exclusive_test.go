package grpcapi

import (
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// While one caller verifies the journal or tests rules, a second caller of the same method gets an
// error. A caller of the other method is served, and so is the next one after the first has ended.
func TestOneAtATime(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		switch r.(type) {
		case messages.VerifyJournal:
			entered <- struct{}{}
			<-leave
			return messages.JournalReport{}, nil
		case messages.TestRules:
			return messages.RulesTested{}, nil
		}
		return nil, nil
	}}
	conn, _ := serve(t, asker)
	admin := pb.NewAdminServiceClient(conn)
	verify := func() grpc.ServerStreamingClient[pb.VerifyJournalResponse] {
		return must[grpc.ServerStreamingClient[pb.VerifyJournalResponse]](t)(admin.VerifyJournal(as(t, "c"), &pb.VerifyJournalRequest{}))
	}
	end := func(stream interface{ RecvMsg(any) error }, m any) error {
		for {
			if err := stream.RecvMsg(m); err != nil {
				return err
			}
		}
	}
	first := verify()
	<-entered
	if err := end(verify(), &pb.VerifyJournalResponse{}); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("the second: %v", err)
	}
	tested := must[grpc.ServerStreamingClient[pb.TestRulesResponse]](t)(admin.TestRules(as(t, "c"), &pb.TestRulesRequest{SessionId: sessionA}))
	if err := end(tested, &pb.TestRulesResponse{}); status.Code(err) == codes.ResourceExhausted {
		t.Errorf("rules meanwhile: %v", err)
	}
	leave <- struct{}{}
	if err := end(first, &pb.VerifyJournalResponse{}); status.Code(err) == codes.ResourceExhausted {
		t.Errorf("the first: %v", err)
	}
	third := verify()
	<-entered
	leave <- struct{}{}
	if err := end(third, &pb.VerifyJournalResponse{}); status.Code(err) == codes.ResourceExhausted {
		t.Errorf("the third: %v", err)
	}
}
