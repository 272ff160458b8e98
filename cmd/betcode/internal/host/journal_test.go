package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/statedir"
	"betcode/messages"
)

func TestOfferBackup(t *testing.T) {
	state := t.TempDir()
	damaged := func() error {
		return messages.Errorf("open journal", messages.DataLoss, "1.log: group 2 cannot be read").WithHint("Repair it.")
	}
	if err := offerBackup(damaged(), state); !strings.Contains(hintOf(err), "journal.backup_every") {
		t.Errorf("%+v", err)
	}
	newest := filepath.Join(statedir.Backups(state), "journal-20261120T120000Z")
	for _, name := range []string{"journal-20261119T120000Z", "journal-20261120T120000Z", "journal-20261121T120000Z.unfinished"} {
		if err := os.MkdirAll(filepath.Join(statedir.Backups(state), name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := offerBackup(damaged(), state); !strings.Contains(hintOf(err), "journal restore --force "+newest) {
		t.Errorf("%+v", err)
	}
	other := errors.New("no space")
	if err := offerBackup(other, state); !errors.Is(err, other) {
		t.Errorf("%v", err)
	}
	if err := offerBackup(nil, state); err != nil {
		t.Errorf("%v", err)
	}
}

// hintOf returns the hint of one of our errors, empty for others.
func hintOf(err error) string {
	var failed *messages.Error
	if !errors.As(err, &failed) {
		return ""
	}
	return failed.Hint
}
