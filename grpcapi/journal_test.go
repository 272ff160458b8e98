package grpcapi

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

func TestJournal(t *testing.T) {
	sealed := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	asker := &fakeAsker{answer: func(r messages.Request) (messages.Reply, error) {
		switch r := r.(type) {
		case messages.GetJournalStats:
			return messages.JournalStats{
				Lineage: "l", Sessions: 3, ActiveBytes: 10, SealedBytes: 20, RetainAge: time.Hour,
				LogBytes: 5, CheckpointBytes: 16, Checkpoints: 4, CheckpointFailure: "full",
				Files: []messages.JournalPart{{Name: "1", Bytes: 20, SealedAt: sealed}, {Name: "2", Bytes: 10}},
			}, nil
		case messages.VerifyJournal:
			for keys := range 5000 {
				r.Progress(messages.JournalFile{Name: "1", Keys: keys})
			}
			r.Progress(messages.JournalFile{Name: "1", Keys: 5000, Complete: true})
			r.Progress(messages.JournalFile{Name: "2", Complete: true})
			return messages.JournalReport{Sessions: 3, Problems: []messages.JournalProblem{{File: "1", Key: "\xff", Err: errors.New("bad")}}}, nil
		case messages.BackupJournal:
			return messages.JournalBackup{Path: r.Path, Files: 2, Bytes: 30, Paused: 3 * time.Millisecond}, nil
		}
		return nil, nil
	}}
	conn, _ := serve(t, asker)
	client, ctx := pb.NewAdminServiceClient(conn), as(t, "c")
	stats := must[*pb.JournalStatsResponse](t)(client.JournalStats(ctx, &pb.JournalStatsRequest{}))
	if f := stats.GetFiles(); len(f) != 2 || !f[0].GetSealedAt().AsTime().Equal(sealed) || f[1].SealedAt != nil ||
		stats.GetTotalBytes() != 30 || stats.GetRetainSeconds() != 3600 || stats.GetLogBytes() != 5 || stats.GetCheckpointBytes() != 16 ||
		stats.GetCheckpoints() != 4 || stats.GetCheckpointFailure() != "full" || stats.GetSessions() != 3 {
		t.Errorf("stats %v", stats)
	}
	stream := must[pb.AdminService_VerifyJournalClient](t)(client.VerifyJournal(ctx, &pb.VerifyJournalRequest{}))
	var complete []string
	var problems int
	var done *pb.JournalVerified
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.GetFile().GetComplete() {
			complete = append(complete, m.GetFile().GetName())
		}
		if m.GetProblem() != nil {
			problems++
		}
		done = m.GetDone()
	}
	if len(complete) != 2 || complete[0] != "1" || problems != 1 || done.GetOk() || done.GetProblems() != 1 || done.GetSessions() != 3 {
		t.Errorf("complete %v, %d problems, done %v", complete, problems, done)
	}
	backup := must[*pb.BackupJournalResponse](t)(client.BackupJournal(ctx, &pb.BackupJournalRequest{Path: "/a/./b", Link: true}))
	if backup.GetPath() != "/a/b" || backup.GetPausedMs() != 3 {
		t.Errorf("backup %v", backup)
	}
	for _, path := range []string{"", "relative", "/with\x00zero"} {
		if _, err := client.BackupJournal(ctx, &pb.BackupJournalRequest{Path: path}); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// A client that disconnects ends its verification.
func TestVerifyEndsWithItsClient(t *testing.T) {
	ended := make(chan struct{})
	asker := &waitingAsker{fakeAsker: &fakeAsker{}, ended: ended}
	conn, _ := serve(t, asker)
	ctx, cancel := context.WithCancel(as(t, "c"))
	stream := must[pb.AdminService_VerifyJournalClient](t)(pb.NewAdminServiceClient(conn).VerifyJournal(ctx, &pb.VerifyJournalRequest{}))
	if m, err := stream.Recv(); m.GetFile().GetName() != "1" || err != nil {
		t.Errorf("%v, %v", m, err)
	}
	cancel()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("it goes on")
	}
}

// waitingAsker verifies until the context of the call ends.
type waitingAsker struct {
	*fakeAsker
	ended chan struct{}
}

func (a *waitingAsker) Ask(ctx context.Context, r messages.Request) (messages.Reply, error) {
	m, ok := r.(messages.VerifyJournal)
	if !ok {
		return a.fakeAsker.Ask(ctx, r)
	}
	m.Progress(messages.JournalFile{Name: "1"})
	<-ctx.Done()
	close(a.ended)
	return nil, ctx.Err()
}
