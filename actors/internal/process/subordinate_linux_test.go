package process

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSubordinate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "subuid")
	if mine, err := subordinate(file, 1000, "ann", 100000); mine || err != nil {
		t.Errorf("without a file: %v, %v", mine, err)
	}
	if err := os.WriteFile(file, []byte("# ranges\n\nbob:100000:65536\nann:200000:10\n1000:300000:1\nbad:x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for uid, want := range map[int]bool{100000: false, 199999: false, 200000: true, 200009: true, 200010: false, 300000: true, 300001: false, 0: false, -1: false} {
		if mine, err := subordinate(file, 1000, "ann", uid); mine != want || err != nil {
			t.Errorf("%d: %v, %v", uid, mine, err)
		}
	}
	if mine, err := subordinate(file, 1000, "", 200000); mine || err != nil {
		t.Errorf("without a name: %v, %v", mine, err)
	}
	for _, line := range []string{"ann:1", "ann:1:x", "ann:-1:5", "ann:1:2:3", "ann"} {
		if err := os.WriteFile(file, []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := subordinate(file, 1000, "ann", 5); err == nil {
			t.Errorf("%q is understood", line)
		}
	}
}

// A container's process has a user id without a name, and its owner cannot be determined.
func TestOwnersOfSockets(t *testing.T) {
	table := processTable(t.TempDir())
	dir := filepath.Join(string(table), "sys/kernel")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overflowuid"), []byte("65534\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if mine, err := table.mine(os.Geteuid()); !mine || err != nil {
		t.Errorf("our own: %v, %v", mine, err)
	}
	if os.Geteuid() == 65534 {
		t.Skip("the test runs as the overflow user, which stands for unmapped users")
	}
	if mine, err := table.mine(65534); mine || err == nil {
		t.Errorf("one that is not to be seen: %v, %v", mine, err)
	}
}
