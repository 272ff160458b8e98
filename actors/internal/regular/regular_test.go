//go:build unix

package regular

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"to file": "file", "to pipe": "pipe", "to device": "/dev/zero", "to itself": "to itself", "to nothing": "nothing"} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, fails := range map[string]string{
		"file": "", "to file": "", "pipe": "not a regular file", "to pipe": "not a regular file", "to device": "not a regular file",
		".": "not a regular file", "to itself": "symbolic links", "to nothing": "no such file",
	} {
		got, err := Read(at(name), 5)
		if fails == "" && (err != nil || string(got) != "12345") || fails != "" && (err == nil || !strings.Contains(err.Error(), fails)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := Read(at("file"), 4); err == nil {
		t.Errorf("a file above the bound: %q", got)
	}
}
