package grpcapi

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// fakeAudit is an audit log in memory.
type fakeAudit struct {
	mu      sync.Mutex
	entries []messages.AuditEntry
	asked   messages.AuditFilter
}

func (a *fakeAudit) Record(e messages.AuditEntry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.entries = append(a.entries, e)
}

func (a *fakeAudit) Read(_ context.Context, f messages.AuditFilter, each func(messages.AuditEntry) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = f
	for _, e := range a.entries {
		if err := each(e); err != nil {
			return err
		}
	}
	return nil
}

func (a *fakeAudit) recorded() []messages.AuditEntry {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]messages.AuditEntry(nil), a.entries...)
}

func TestListAudit(t *testing.T) {
	audit := &fakeAudit{entries: []messages.AuditEntry{
		{ID: 1, Type: messages.AuditGranted, Session: sessionA, ActorType: messages.ActorUser, ActorID: "ann", Tool: "Bash", InputHash: "ab", CreatedAt: time.Unix(5, 0)},
		{ID: 2, Type: messages.AuditAuthFailure, ClientIP: "10.0.0.1", Context: map[string]string{"a": "b"}},
	}}
	conn, _ := serveOptions(t, Options{Asker: &fakeAsker{}, Audit: audit})
	since := timestamppb.New(time.Unix(1, 0))
	stream := must[grpc.ServerStreamingClient[pb.AuditEntry]](t)(pb.NewAccessServiceClient(conn).ListAudit(as(t, "c"),
		&pb.ListAuditRequest{Since: since, EventTypes: []string{"permission_grant"}, SessionId: sessionA}))
	var got []*pb.AuditEntry
	for {
		e, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if len(got) != 2 || got[0].GetActorId() != "ann" || got[0].GetCreatedAt().GetSeconds() != 5 || got[1].GetClientIp() != "10.0.0.1" || got[1].GetCreatedAt() != nil {
		t.Errorf("%v", got)
	}
	if f := audit.asked; f.Session != sessionA || !f.Since.Equal(since.AsTime()) || len(f.Types) != 1 {
		t.Errorf("%+v", f)
	}
	if e := audit.recorded()[2]; e.Type != messages.AuditAdmin || e.Context["method"] != "grpc/AccessService/ListAudit" || e.ActorID != "c" || e.Outcome != messages.OutcomeSuccess {
		t.Errorf("who reads is written down: %+v", e)
	}

	stream = must[grpc.ServerStreamingClient[pb.AuditEntry]](t)(pb.NewAccessServiceClient(conn).ListAudit(as(t, "c"),
		&pb.ListAuditRequest{Since: &timestamppb.Timestamp{Nanos: -1}}))
	if _, err := stream.Recv(); status.Code(err) != codes.InvalidArgument {
		t.Error(err)
	}
	if e := audit.recorded()[3]; e.Outcome != messages.OutcomeFailure || e.ErrorCode != "INVALID_ARGUMENT" {
		t.Errorf("%+v", e)
	}
}
