//go:build unix

package regular

import (
	"errors"
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

func TestAppend(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(syscall.Mkfifo(at("pipe"), 0o600), os.Symlink("target", at("link")), os.Mkdir(at("directory"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "link", "directory"} {
		if file, err := Append(at(name)); err == nil {
			file.Close()
			t.Errorf("a %s is opened", name)
		}
	}
	for range 2 {
		file, err := Append(at("file"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString("x"); err != nil {
			t.Error(err)
		}
		file.Close()
	}
	info, err := os.Stat(at("file"))
	if err != nil || info.Size() != 2 || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if _, err := os.Lstat(at("target")); err == nil {
		t.Error("a file was made behind a link")
	}
}
