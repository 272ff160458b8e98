package translate

import (
	"strings"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// JournalStatsOut translates the statistics of a journal.
func JournalStatsOut(s messages.JournalStats) *pb.JournalStatsResponse {
	out := &pb.JournalStatsResponse{
		Directory: strings.ToValidUTF8(s.Directory, "?"), Lineage: s.Lineage, Format: Saturate(count(s.Format)), Sessions: count(s.Sessions),
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
			Name: f.Name, Bytes: count(f.Bytes), SealedAt: TimeOut(f.SealedAt), PayloadBytes: count(f.Payloads), GarbageBytes: count(f.Garbage),
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
