package machine

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// TestIdentity: it is made once, for the owner only, and read ever after, by however
// many at once.
func TestIdentity(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machine-id")
	var all [8]string
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			id, err := Identity(path)
			if err != nil {
				t.Error(err)
			}
			all[i] = id
		})
	}
	group.Wait()
	for _, id := range all {
		if id != all[0] || len(id) != 36 {
			t.Fatalf("%q", all)
		}
	}
	info, err := os.Stat(path)
	if err != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o600) {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if err := os.WriteFile(path, []byte("elephant"), 0o600); err != nil {
		t.Fatal(err)
	}
	if id, err := Identity(path); err == nil {
		t.Errorf("an elephant is machine %q", id)
	}
	if _, err := Identity(filepath.Join(path, "below")); err == nil {
		t.Error("made where nothing can be")
	}
}

func TestMemory(t *testing.T) {
	if bytes := Memory(); (runtime.GOOS == "linux" || runtime.GOOS == "darwin") && bytes < 64<<20 {
		t.Errorf("%d bytes", bytes)
	}
}
