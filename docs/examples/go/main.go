// Command client sends a prompt, prints the answer, asks about permissions, and survives the daemon:
//
//	go run ./docs/examples/go SOCKET SESSION DIRECTORY PROMPT
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "betcode/proto/betcode/v1"
)

// turn is what a client remembers between two streams.
type turn struct {
	start   *pb.StartConversation // from_sequence: the last event that was handled
	prompt  *pb.UserMessage       // under the same key each time it is sent
	allowed map[string]bool       // what a person decided, by request id
}

func main() {
	conn, err := grpc.NewClient("unix:"+os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	t := turn{
		start:   &pb.StartConversation{SessionId: os.Args[2], WorkingDirectory: os.Args[3]},
		prompt:  &pb.UserMessage{Content: os.Args[4], IdempotencyKey: uuid.NewString()},
		allowed: map[string]bool{},
	}
	ctx := metadata.AppendToOutgoingContext(context.Background(), "x-client-id", "example-"+uuid.NewString())
	for {
		err := t.converse(ctx, pb.NewAgentServiceClient(conn))
		if err == nil {
			return
		}
		if status.Code(err) != codes.Unavailable {
			log.Fatal(err)
		}
		log.Printf("no daemon; trying again, behind event %d", t.start.GetFromSequence())
		time.Sleep(500 * time.Millisecond)
	}
}

// converse attaches once. It returns nil when the turn is over.
func (t *turn) converse(ctx context.Context, agents pb.AgentServiceClient) error {
	stream, err := agents.Converse(ctx)
	if err != nil {
		return err
	}
	_ = stream.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Start{Start: t.start}}) // Recv returns errors
	var head uint64                                                                    // events up to it are history
	for {
		event, err := stream.Recv()
		if err != nil {
			return err
		}
		t.start.FromSequence = max(t.start.GetFromSequence(), event.GetSequence())
		switch e := event.GetEvent().(type) {
		case *pb.AgentEvent_SessionInfo:
			if event.GetSequence() == 0 { // attached: send the prompt, or send it again
				head = e.SessionInfo.GetHead()
				t.start.FromSequence = cmp.Or(t.start.GetFromSequence(), head)
				_ = stream.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: t.prompt}})
			}
		case *pb.AgentEvent_TextDelta:
			fmt.Print(e.TextDelta.GetText())
		case *pb.AgentEvent_PermissionRequest:
			if event.GetSequence() == 0 || event.GetSequence() > head { // it still waits
				answer := t.decide(e.PermissionRequest)
				_ = stream.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Permission{Permission: answer}})
			}
		case *pb.AgentEvent_Error:
			if e.Error.GetDetails()["idempotency_key"] == t.prompt.GetIdempotencyKey() { // refused
				return errors.New(e.Error.GetMessage())
			}
		case *pb.AgentEvent_TurnComplete:
			if slices.Contains(e.TurnComplete.GetInputKeys(), t.prompt.GetIdempotencyKey()) {
				return nil
			}
		}
	}
}

// decide asks a person once about each request. A lost answer is sent again.
func (t *turn) decide(p *pb.PermissionRequest) *pb.PermissionResponse {
	if _, decided := t.allowed[p.GetRequestId()]; !decided {
		var answer string
		fmt.Printf("\n%s: %s [y/N] ", p.GetToolName(), p.GetDescription())
		_, _ = fmt.Scanln(&answer) // no answer is no
		t.allowed[p.GetRequestId()] = answer == "y"
	}
	decision := pb.PermissionDecision_DENY
	if t.allowed[p.GetRequestId()] {
		decision = pb.PermissionDecision_ALLOW_ONCE
	}
	return &pb.PermissionResponse{RequestId: p.GetRequestId(), Decision: decision}
}
