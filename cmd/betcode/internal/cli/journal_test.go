package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"betcode/messages"
	"betcode/persistence"
	pb "betcode/proto/betcode/v1"
)

func (d *fakeDaemon) JournalStats(context.Context, *pb.JournalStatsRequest) (*pb.JournalStatsResponse, error) {
	d.call("journal stats")
	return &pb.JournalStatsResponse{
		Directory: "/j", Lineage: "l", Format: 1, Sessions: 2, TotalBytes: 3 << 20, RetainBytes: 20 << 30,
		LogBytes: 1 << 20, CheckpointBytes: 16 << 20, Checkpoints: 3, CheckpointFailure: "no space",
		Files: []*pb.JournalFileInfo{{Name: "000001.journal", Bytes: 3 << 20}},
	}, nil
}

func (d *fakeDaemon) VerifyJournal(_ *pb.VerifyJournalRequest, s grpc.ServerStreamingServer[pb.VerifyJournalResponse]) error {
	for _, m := range []*pb.VerifyJournalResponse{
		{News: &pb.VerifyJournalResponse_File{File: &pb.JournalFileReport{Name: "000001.journal"}}},
		{News: &pb.VerifyJournalResponse_File{File: &pb.JournalFileReport{Name: "000001.journal", Bytes: 4096, Keys: 9, Events: 5, ChainedEvents: 5, Complete: true}}},
		{News: &pb.VerifyJournalResponse_Problem{Problem: &pb.JournalProblem{File: "000001.journal", Key: "events/1/3", Message: "checksum"}}},
		{News: &pb.VerifyJournalResponse_Done{Done: &pb.JournalVerified{Sessions: 1, Problems: 1}}},
	} {
		if err := s.Send(m); err != nil {
			return err
		}
	}
	return nil
}

func (d *fakeDaemon) BackupJournal(_ context.Context, r *pb.BackupJournalRequest) (*pb.BackupJournalResponse, error) {
	d.call("journal backup " + r.GetPath())
	return &pb.BackupJournalResponse{Path: r.GetPath(), Files: 2, Bytes: 2048, LinkedBytes: 1024}, nil
}

func TestJournalOnline(t *testing.T) {
	d := serveFake(t, &fakeDaemon{})
	if code, out, _ := command(t, "", "journal", "stats"); code != 0 || !strings.Contains(out, "Size: 3.0 MiB in 1 file") ||
		!strings.Contains(out, "the newest 20.0 GiB of sealed files are kept; 0 dropped") ||
		!strings.Contains(out, "Log: 1.0 MiB, checkpoint at 16.0 MiB; 3 checkpoints so far") || !strings.Contains(out, "no space") {
		t.Errorf("stats: %d, %s", code, out)
	}
	code, out, stderr := command(t, "", "journal", "verify")
	want := "000001.journal  4.0 KiB, 9 values, 5 events\nDAMAGED 000001.journal: events/1/3: checksum\n"
	if code != 7 || out != want || !strings.Contains(stderr, "1 problem") {
		t.Errorf("verify: %d\n%s%s", code, out, stderr)
	}
	code, out, _ = command(t, "", "journal", "verify", "--json")
	var report map[string]any
	if err := json.Unmarshal([]byte(out), &report); code != 7 || err != nil || report["ok"] != false || len(report["problems"].([]any)) != 1 {
		t.Errorf("verify: %d, %v, %s", code, err, out)
	}
	if code, out, _ := command(t, "", "journal", "backup", "/b", "--link"); code != 0 || !strings.HasPrefix(out, "/b: 2 files, 2.0 KiB, 1.0 KiB of it linked") {
		t.Errorf("backup: %d, %s", code, out)
	}
	if code, _, _ := command(t, "", "journal", "backup"); code != 5 {
		t.Errorf("backup to nowhere: %d", code)
	}
	if got := strings.Join(d.calls, ","); got != "journal stats,journal backup /b" {
		t.Errorf("calls %s", got)
	}
}

func TestJournalOffline(t *testing.T) {
	isolate(t)
	state := t.TempDir()
	store, err := persistence.Open(persistence.Options{Directory: filepath.Join(state, "journal")})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Commit([]messages.Append{{
		Session: sessionA, Record: &messages.SessionRecord{ID: sessionA}, Events: []messages.Event{{Seq: 1, Bytes: []byte("said once")}},
	}})[0]; err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "b")
	run := func(want int, says string, args ...string) {
		t.Helper()
		code, out, stderr := command(t, "", append([]string{"journal"}, args...)...)
		if code != want || !strings.Contains(out+stderr, says) {
			t.Errorf("%v: exit %d, want %d\n%s%s", args, code, want, out, stderr)
		}
	}
	run(1, "another daemon uses", "verify", "--state-dir", state)
	run(1, "another daemon uses", "backup", backup, "--state-dir", state)
	run(2, "no socket", "verify")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	run(0, "The journal is sound: 1 session", "verify", "--state-dir", state)
	run(0, "Sessions: 1", "stats", "--state-dir", state)
	run(0, "1 file", "backup", backup, "--state-dir", state)
	run(1, "is not empty", "backup", backup, "--state-dir", state)
	run(0, "The journal is sound", "verify", "--backup", backup)
	run(5, "give one of them", "verify", "--backup", backup, "--state-dir", state)
	run(6, "no journal", "verify", "--backup", t.TempDir())
	run(6, "no journal", "backup", filepath.Join(t.TempDir(), "c"), "--state-dir", t.TempDir())
	run(1, "--force", "restore", backup, "--state-dir", state)
	run(0, "had more events than the backup", "restore", backup, "--state-dir", state, "--force")
	run(0, "The journal is sound", "verify", "--state-dir", state)
	next := filepath.Join(t.TempDir(), "new", "state")
	run(0, "its lineage is", "restore", backup, "--state-dir", next)
	run(6, "no journal", "restore", filepath.Join(backup, "nothing"), "--state-dir", filepath.Join(next, "b"))

	file := filepath.Join(backup, "000001.journal")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[strings.Index(string(data), "said once")]++
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	run(7, "DAMAGED 000001.journal: events/1/1", "verify", "--backup", backup)
	run(7, "the backup is damaged", "restore", backup, "--state-dir", filepath.Join(next, "c"))
	run(0, "damaged: 000001.journal", "restore", backup, "--state-dir", filepath.Join(next, "d"), "--damaged")
}
