package kit

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	pb "betcode/proto/betcode/v1"
)

func fastReconnect() grpc.ConnectParams {
	return grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 10 * time.Millisecond, Multiplier: 1.5, MaxDelay: 200 * time.Millisecond}}
}

// Stream is one Converse or ResumeSession stream whose events are collected as they come.
type Stream struct {
	send    grpc.BidiStreamingClient[pb.AgentRequest, pb.AgentEvent] // nil for a replay
	receive interface{ RecvMsg(any) error }
	cancel  context.CancelFunc

	received[Event]
}

// Converse opens a stream as a client with that name and sends start. The whole history
// comes first, unless start names another policy or a sequence.
func (d *Daemon) Converse(ctx context.Context, client string, start *pb.StartConversation) (*Stream, error) {
	ctx, cancel := context.WithCancel(metadata.AppendToOutgoingContext(ctx, "x-client-id", client))
	stream, err := d.Agents().Converse(ctx)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("open stream: %w", err)
	}
	start = proto.CloneOf(start)
	start.KeepsPrompts = true
	if start.GetHistory() == pb.HistoryPolicy_HISTORY_POLICY_UNSPECIFIED && start.GetFromSequence() == 0 {
		start.History = pb.HistoryPolicy_HISTORY_POLICY_FULL
	}
	s := &Stream{send: stream, receive: stream, cancel: cancel}
	if err := s.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: start}}); err != nil {
		cancel()
		return nil, err
	}
	go s.collect(s.next)
	return s, nil
}

// Send sends a request.
func (s *Stream) Send(r *pb.AgentRequest) error {
	if err := s.send.Send(r); err != nil {
		return fmt.Errorf("send on stream: %w", err)
	}
	return nil
}

// Say sends a user message under a key.
func (s *Stream) Say(key, text string) error {
	return s.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{Content: text, IdempotencyKey: key}}})
}

// Answer decides a permission request.
func (s *Stream) Answer(request string, decision pb.PermissionDecision, message string) error {
	return s.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: &pb.PermissionResponse{
		RequestId: request, Decision: decision, Message: message,
	}}})
}

// Close disconnects the client. The turn goes on.
func (s *Stream) Close() { s.cancel() }

// HalfClose ends the client's requests.
func (s *Stream) HalfClose() error { return s.send.CloseSend() }

func (s *Stream) next() (e Event, err error) {
	err = s.receive.RecvMsg(&e)
	return e, err
}

// Wait returns the first matching event from index from on, and the index behind it.
func (s *Stream) Wait(from int, wanted func(Event) bool) (Event, int, error) {
	return s.wait(from, wanted, Describe)
}

// WaitEnd waits for the stream to end.
func (s *Stream) WaitEnd() error { return s.waitEnd(Describe) }

// Journaled returns the numbered events among events, and an error unless their
// numbers are dense from first on.
func Journaled(events []Event, first uint64) ([]Event, error) {
	var numbered []Event
	for _, e := range events {
		if e.GetSequence() == 0 {
			continue
		}
		if want := first + uint64(len(numbered)); e.GetSequence() != want {
			return nil, fmt.Errorf("sequence %d where %d was due:\n%s", e.GetSequence(), want, Describe(events))
		}
		numbered = append(numbered, e)
	}
	return numbered, nil
}

// Same compares two histories event by event, bytes included.
func Same(a, b []Event) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d events here, %d there", len(a), len(b))
	}
	for i := range a {
		if !bytes.Equal(a[i].Raw, b[i].Raw) {
			return fmt.Errorf("event %d differs:\n%s\n%s", a[i].GetSequence(), Line(a[i]), Line(b[i]))
		}
	}
	return nil
}

// Resume opens a ResumeSession stream from a sequence on (exclusive).
func (d *Daemon) Resume(ctx context.Context, session string, from uint64) (*Stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := d.Agents().ResumeSession(ctx, &pb.ResumeSessionRequest{SessionId: session, FromSequence: from})
	if err != nil {
		cancel()
		return nil, fmt.Errorf("resume session: %w", err)
	}
	s := &Stream{receive: stream, cancel: cancel}
	go s.collect(s.next)
	return s, nil
}
