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
	return unary(ctx, s.asker, messages.GetJournalStats{}, nil, JournalStatsOut)
}

// VerifyJournal implements AdminService. Problems are sent at the end, when all are known.
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

// news are the reports of a verification that are buffered for a client. Reports on the same
// file replace each other, so that the verification, which commits may wait for, never waits
// for the client.
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
	if !filepath.IsAbs(path) || len(path) > maxPathBytes || !utf8.ValidString(path) || strings.ContainsRune(path, 0) {
		return nil, wire.Invalid(op, "Give the absolute path of a directory that does not exist.", "the path %q is not absolute or not valid", wire.Clip(path))
	}
	return unary(ctx, s.asker, messages.BackupJournal{Path: filepath.Clean(path), Link: r.GetLink()}, nil, JournalBackupOut)
}

// The translations below are exported for the command line, which reads a journal itself when
// no daemon has it open.

// JournalStatsOut translates the statistics of a journal.
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

// JournalFileOut translates the progress in a file.
func JournalFileOut(f messages.JournalFile) *pb.VerifyJournalResponse {
	return &pb.VerifyJournalResponse{News: &pb.VerifyJournalResponse_File{File: &pb.JournalFileReport{
		Name: f.Name, Bytes: count(f.Bytes), Keys: count(f.Keys), Events: count(f.Events), ChainedEvents: count(f.Chained), Complete: f.Complete,
	}}}
}

// maxProblems bounds the problems that are sent one by one.
const maxProblems = 1000

// JournalReportOut translates a report, the summary last.
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

// JournalBackupOut translates the result of a backup.
func JournalBackupOut(b messages.JournalBackup) *pb.BackupJournalResponse {
	return &pb.BackupJournalResponse{
		Path: strings.ToValidUTF8(b.Path, "?"), Lineage: b.Lineage, Files: count(b.Files), Bytes: count(b.Bytes),
		LinkedBytes: count(b.LinkedBytes), PausedMs: b.Paused.Milliseconds(),
	}
}

func count[N int | int64](n N) uint64 { return uint64(max(n, 0)) }
