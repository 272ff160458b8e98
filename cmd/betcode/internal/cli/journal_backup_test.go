package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/statedir"
)

func TestJournalBackups(t *testing.T) {
	isolate(t)
	state := t.TempDir()
	list := func(says string) {
		t.Helper()
		if code, out, stderr := command(t, "", "journal", "backups", "--state-dir", state); code != 0 || !strings.Contains(out, says) {
			t.Errorf("exit %d, want %q in\n%s%s", code, says, out, stderr)
		}
	}
	list("journal.backup_every 1d")
	newest := filepath.Join(statedir.Backups(state), "journal-20261120T120000Z")
	for _, name := range []string{"journal-20261119T120000Z", "journal-20261120T120000Z", "journal-20261121T120000Z.unfinished"} {
		if err := os.MkdirAll(filepath.Join(statedir.Backups(state), name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	list(newest)
}
