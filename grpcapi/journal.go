package grpcapi

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"google.golang.org/grpc"

	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// JournalStats implements AdminService.
func (s adminService) JournalStats(ctx context.Context, _ *pb.JournalStatsRequest) (*pb.JournalStatsResponse, error) {
	st, err := ask[messages.JournalStats](ctx, s.asker, messages.GetJournalStats{})
	if err != nil {
		return nil, err
	}
	return JournalStatsOut(st), nil
}

// VerifyJournal implements AdminService. Problems are told at the end: until
// then nobody knows all of them.
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
	report, err := ask[messages.JournalReport](ctx, s.asker, messages.VerifyJournal{Progress: func(f messages.JournalFile) {
		news.put(JournalFileOut(f))
	}})
	news.close()
	if failed := <-sent; failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	for _, m := range JournalReportOut(report) {
		if err := stream.Send(m); err != nil {
			return err
		}
	}
	return nil
}

// news are the reports of a verification on their way to a client. While one is
// sent, reports on the same file replace each other: nobody who verifies waits
// for a client, as commits may wait for him.
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

// send sends what comes until it is closed.
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
	if !filepath.IsAbs(path) || len(path) > maxPathBytes || !utf8.ValidString(path) || strings.ContainsRune(path, 0) {
		return nil, wire.Invalid(op, "Give the absolute path of a directory that does not exist.", "path %q", wire.Clip(path))
	}
	b, err := ask[messages.JournalBackup](ctx, s.asker, messages.BackupJournal{Path: filepath.Clean(path), Link: r.GetLink()})
	if err != nil {
		return nil, err
	}
	return JournalBackupOut(b), nil
}

// The translations below are exported for the command line, which looks at a
// journal itself when no daemon has it, and shows the same.

// JournalStatsOut translates what a journal is.
func JournalStatsOut(s messages.JournalStats) *pb.JournalStatsResponse {
	out := &pb.JournalStatsResponse{
		Directory: strings.ToValidUTF8(s.Directory, "?"), Lineage: s.Lineage, Format: saturate(count(s.Format)), Sessions: count(s.Sessions),
		TotalBytes: count(s.SealedBytes + s.ActiveBytes + s.PayloadBytes),
		Payloads:   count(s.Payloads), PayloadBytes: count(s.PayloadBytes), GarbageBytes: count(s.GarbageBytes),
		RewrittenFiles: count(s.Rewritten), SweptPayloads: count(s.Swept),
		Commits: count(s.Commits), Appends: count(s.Appends), Refused: count(s.Refused),
		Events: count(s.Events), EventBytes: count(s.EventBytes), WrittenBytes: count(s.WrittenBytes),
		RetainBytes: count(s.RetainBytes), RetainSeconds: count(int64(s.RetainAge.Seconds())), DroppedFiles: count(s.Dropped),
		LogBytes: count(s.LogBytes), CheckpointBytes: count(s.CheckpointBytes), Checkpoints: count(s.Checkpoints),
		CheckpointFailure: strings.ToValidUTF8(s.CheckpointFailure, "?"),
	}
	for _, f := range s.Files {
		out.Files = append(out.Files, &pb.JournalFileInfo{
			Name: f.Name, Bytes: count(f.Bytes), SealedAt: timeOut(f.SealedAt), PayloadBytes: count(f.Payloads), GarbageBytes: count(f.Garbage),
		})
	}
	return out
}

// JournalFileOut translates what was read of a file so far.
func JournalFileOut(f messages.JournalFile) *pb.VerifyJournalResponse {
	return &pb.VerifyJournalResponse{News: &pb.VerifyJournalResponse_File{File: &pb.JournalFileReport{
		Name: f.Name, Bytes: count(f.Bytes), Keys: count(f.Keys), Events: count(f.Events), ChainedEvents: count(f.Chained), Complete: f.Complete,
	}}}
}

// maxProblems bounds how many problems are told one by one.
const maxProblems = 1000

// JournalReportOut translates what was found, the summary last.
func JournalReportOut(r messages.JournalReport) []*pb.VerifyJournalResponse {
	var out []*pb.VerifyJournalResponse
	for _, p := range r.Problems[:min(len(r.Problems), maxProblems)] {
		out = append(out, &pb.VerifyJournalResponse{News: &pb.VerifyJournalResponse_Problem{Problem: &pb.JournalProblem{
			File: p.File, Key: strings.ToValidUTF8(p.Key, "?"), Message: strings.ToValidUTF8(p.Err.Error(), "?"),
		}}})
	}
	return append(out, &pb.VerifyJournalResponse{News: &pb.VerifyJournalResponse_Done{Done: &pb.JournalVerified{
		Ok: r.OK(), Sessions: count(r.Sessions), Problems: count(len(r.Problems)),
	}}})
}

// JournalBackupOut translates what was written.
func JournalBackupOut(b messages.JournalBackup) *pb.BackupJournalResponse {
	return &pb.BackupJournalResponse{
		Path: strings.ToValidUTF8(b.Path, "?"), Lineage: b.Lineage, Files: count(b.Files), Bytes: count(b.Bytes),
		LinkedBytes: count(b.LinkedBytes), PausedMs: b.Paused.Milliseconds(),
	}
}

func count[N int | int64](n N) uint64 { return uint64(max(n, 0)) }
