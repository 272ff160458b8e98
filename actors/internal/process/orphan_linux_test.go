package process

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"betcode/messages"
)

// TestStray finds a live agent by its directory, also after the directory was
// moved, and ends it with its descendants.
func TestStray(t *testing.T) {
	r := started(t, "agent")
	session := filepath.Dir(r.spec.Directory)
	if err := os.WriteFile(filepath.Join(session, "a file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(session, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	record := r.record()
	found := FindOrphans(session)
	if len(found) != 1 || found[0].Agent != r.p.Identity() || found[0].Launcher != r.p.Launcher() || !found[0].Is(&record) {
		t.Fatalf("found %+v", found)
	}
	other := record
	other.Token = "another"
	if found[0].Is(&other) || found[0].Is(nil) {
		t.Error("it is taken for another run")
	}
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(session, moved); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Rename(moved, session) })
	found = FindOrphans(moved)
	if len(found) != 1 || found[0].Is(&messages.RunRecord{Directory: record.Directory, Token: record.Token}) {
		t.Fatalf("moved: %+v", found)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := found[0].End(ctx); err != nil {
		t.Fatal(err)
	}
	if left := FindOrphans(moved); len(left) != 0 || alive(r.p.Identity().PID) {
		t.Errorf("left: %+v", left)
	}
	if found := FindOrphans(filepath.Join(moved, "nowhere")); found != nil {
		t.Errorf("nowhere: %+v", found)
	}
}
