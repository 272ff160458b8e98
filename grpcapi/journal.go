package grpcapi

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"google.golang.org/grpc"

	"betcode/grpcapi/handler"
	"betcode/grpcapi/translate"
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// JournalStats implements AdminService.
func (s adminService) JournalStats(ctx context.Context, _ *pb.JournalStatsRequest) (*pb.JournalStatsResponse, error) {
	return handler.Unary(ctx, s.asker, messages.GetJournalStats{}, nil, translate.JournalStatsOut)
}

// VerifyJournal implements AdminService. It sends problems at the end, when all are known.
func (s adminService) VerifyJournal(_ *pb.VerifyJournalRequest, stream grpc.ServerStreamingServer[pb.VerifyJournalResponse]) error {
	end, err := s.one.verify.begin("verify journal", "the journal is verified")
	if err != nil {
		return err
	}
	defer end()
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	news := newNews()
	sent := make(chan error, 1)
	go func() {
		err := news.send(stream)
		if err != nil {
			cancel()
		}
		sent <- err
	}()
	report, err := handler.Ask[messages.JournalReport](ctx, s.asker, messages.VerifyJournal{Progress: func(f messages.JournalFile) {
		news.put(translate.JournalFileOut(f))
	}})
	news.close()
	if failed := <-sent; failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	for _, m := range translate.JournalReportOut(report) {
		if err := stream.Send(m); err != nil {
			return err
		}
	}
	return nil
}

// news buffers the progress reports of a verification for a client. A report replaces an older one
// about the same file, so that the verification, which commits may wait for, never waits for the
// client.
type news struct {
	mu      sync.Mutex
	waiting []*pb.VerifyJournalResponse
	wake    chan struct{}
	over    bool
}

func newNews() *news { return &news{wake: make(chan struct{}, 1)} }

func (n *news) put(m *pb.VerifyJournalResponse) {
	n.mu.Lock()
	if last := len(n.waiting) - 1; last >= 0 && n.waiting[last].GetFile().GetName() == m.GetFile().GetName() {
		n.waiting[last] = m
	} else {
		n.waiting = append(n.waiting, m)
	}
	n.mu.Unlock()
	n.ring()
}

func (n *news) close() {
	n.mu.Lock()
	n.over = true
	n.mu.Unlock()
	n.ring()
}

func (n *news) ring() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// send sends reports until close is called.
func (n *news) send(stream grpc.ServerStreamingServer[pb.VerifyJournalResponse]) error {
	for range n.wake {
		n.mu.Lock()
		waiting, over := n.waiting, n.over
		n.waiting = nil
		n.mu.Unlock()
		for _, m := range waiting {
			if err := stream.Send(m); err != nil {
				return err
			}
		}
		if over {
			return nil
		}
	}
	return nil
}

// BackupJournal implements AdminService.
func (s adminService) BackupJournal(ctx context.Context, r *pb.BackupJournalRequest) (*pb.BackupJournalResponse, error) {
	const op = "back up journal"
	path := r.GetPath()
	if !filepath.IsAbs(path) || len(path) > translate.MaxPathBytes || !utf8.ValidString(path) || strings.ContainsRune(path, 0) {
		return nil, wire.Invalid(op, "Give the absolute path of a directory that does not exist.", "the path %q is not absolute or not valid", wire.Clip(path))
	}
	return handler.Unary(ctx, s.asker, messages.BackupJournal{Path: filepath.Clean(path), Link: r.GetLink()}, nil, translate.JournalBackupOut)
}
