package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/messages"
	"betcode/persistence"
)

func TestJournalRepair(t *testing.T) {
	isolate(t)
	state := t.TempDir()
	journal := filepath.Join(state, "journal")
	copyOf := filepath.Join(t.TempDir(), "copy")
	store, err := persistence.Open(persistence.Options{Directory: journal})
	if err != nil {
		t.Fatal(err)
	}
	for seq := range messages.Seq(4) {
		if err := store.Commit([]messages.Append{{
			Session: sessionA, Expect: seq, Record: &messages.SessionRecord{ID: sessionA}, Events: []messages.Event{{Seq: seq + 1, Bytes: []byte("said once")}},
		}})[0]; err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(copyOf, os.DirFS(journal)); err != nil { // as a kill leaves it
		t.Fatal(err)
	}
	run := func(want int, says ...string) {
		t.Helper()
		args := append([]string{"journal", "repair", "--state-dir", state}, says[1:]...)
		code, out, stderr := command(t, "", args...)
		if code != want || !strings.Contains(out+stderr, says[0]) {
			t.Errorf("%v: exit %d, want %d\n%s%s", args, code, want, out, stderr)
		}
	}
	run(1, "another daemon uses")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	run(0, "opens as it is: 1 session")
	if err := os.RemoveAll(journal); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(journal, os.DirFS(copyOf)); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(journal, "1.log")
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	second := bytes.Index(data[1:], data[:4]) + 1
	damage := func(bytes int) {
		t.Helper()
		copy(data[second:], make([]byte, bytes))
		if err := os.WriteFile(log, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	damage(36) // the head of the second group, which its rows prove
	run(7, "Nothing would be lost")
	damage(120) // and its first rows
	if _, err := persistence.Open(persistence.Options{Directory: journal}); messages.KindOf(err) != messages.DataLoss {
		t.Errorf("open: %v", err)
	}
	run(7, "Lost: "+sessionA)
	run(7, `"session_id": "`+sessionA, "--json")
	run(7, "Nothing was changed")
	run(0, "The journal as it was is in "+journal+".damaged-", "--yes")
	run(0, "opens as it is: 1 session")
	if err := os.Remove(filepath.Join(journal, "000001.journal")); err != nil {
		t.Fatal(err)
	}
	run(7, "the file is missing")
}
