package grpcapi

import (
	"errors"
	"io"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func TestCompactSession(t *testing.T) {
	a := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		m, ok := r.(messages.CompactSession)
		if !ok {
			return nil, nil
		}
		if m.Session != sessionA || m.Key == "" {
			t.Errorf("asked %+v", m)
		}
		return messages.SessionCompacted{Done: m.Key == keyA, Boundary: 7, MessagesBefore: 9, MessagesAfter: 2, TokensBefore: 1800, TokensAfter: 260}, nil
	}}
	conn, _ := serve(t, a)
	client := pb.NewAgentServiceClient(conn)
	got := must[*pb.CompactSessionResponse](t)(client.CompactSession(as(t, "me"), &pb.CompactSessionRequest{SessionId: sessionA, IdempotencyKey: keyA}))
	want := &pb.CompactSessionResponse{MessagesBefore: 9, MessagesAfter: 2, TokensSaved: 1540, Done: true, TokensBefore: 1800, TokensAfter: 260, Boundary: 7}
	if !proto.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	early := must[*pb.CompactSessionResponse](t)(client.CompactSession(as(t, "me"), &pb.CompactSessionRequest{SessionId: sessionA}))
	if early.GetDone() || early.GetTokensSaved() != 0 {
		t.Errorf("what is not over saved something: %v", early)
	}
}

// An export reads the journal page by page and ends at the head of its beginning. It also ends if
// the rest was trimmed meanwhile.
func TestExportSession(t *testing.T) {
	page := func(from, to uint64) (events []messages.Event) {
		for n := from; n <= to; n++ {
			raw, err := proto.Marshal(&pb.AgentEvent{Sequence: n})
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, messages.Event{Seq: messages.Seq(n), Bytes: raw})
		}
		return events
	}
	var gone error
	a := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		switch m := r.(type) {
		case messages.GetSession:
			return messages.SessionView{Record: messages.SessionRecord{Head: 5}}, nil
		case messages.ReadHistory:
			switch {
			case gone != nil:
				return nil, gone
			case m.After == 0: // events before 2 are trimmed
				return messages.HistoryPage{Events: page(2, 3)}, nil
			}
			return messages.HistoryPage{Events: page(uint64(m.After)+1, 9)}, nil // the history grows
		}
		return nil, nil
	}}
	conn, _ := serve(t, a)
	client := pb.NewAdminServiceClient(conn)
	read := func() (numbers []uint64, err error) {
		stream, err := client.ExportSession(as(t, "me"), &pb.ExportSessionRequest{SessionId: "@last"})
		if err != nil {
			t.Fatal(err)
		}
		for {
			e, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				return numbers, nil
			}
			if err != nil {
				return numbers, err
			}
			numbers = append(numbers, e.GetSequence())
		}
	}
	if got, err := read(); err != nil || len(got) != 4 || got[0] != 2 || got[3] != 5 {
		t.Errorf("exported %v, %v", got, err)
	}
	gone = messages.Errorf("read events", messages.DataLoss, "event 1 is missing")
	if _, err := read(); status.Code(err) != codes.DataLoss {
		t.Errorf("a damaged journal: %v", err)
	}
}
