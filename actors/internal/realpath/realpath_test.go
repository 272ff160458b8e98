package realpath

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestResolve(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(root, name) }
	for _, dir := range []string{"a", "a/b", "secret"} {
		if err := os.Mkdir(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(at("secret/key"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"a/out": "../secret", "a/abs": at("secret"), "a/dangling": "../secret/new", "a/loop": "loop", "a/twice": "out/key", "self": "/proc/self/cwd",
	} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for spelled, want := range map[string]string{
		"a": "a", "a/b/new/deep": "a/b/new/deep", "a/out/key": "secret/key", "a/abs/key": "secret/key", "a/dangling": "secret/new",
		"a/dangling/x": "secret/new/x", "a/twice": "secret/key", "a/out/../a": "a", "a/new/../b": "a/b", "a//b/./": "a/b",
	} {
		got := Resolve(root + "/" + spelled)
		if got.Path != at(want) || got.Doubt != "" {
			t.Errorf("%s: %+v, want %s", spelled, got, at(want))
		}
		if _, err := os.Stat(got.Path); (err == nil) != got.Exists {
			t.Errorf("%s: exists %v: %v", spelled, got.Exists, err)
		}
	}
	if f := Resolve(at("secret/key")); !f.Regular() {
		t.Errorf("%+v is a regular file", f)
	}
	if f := Resolve(at("a/out")); f.Regular() || !f.Mode.IsDir() {
		t.Errorf("%+v is a directory", f)
	}
	for _, root := range []string{"/", "//", "/.", "/..", "/tmp/.."} {
		if f := Resolve(root); f.Regular() || !f.Mode.IsDir() || f.Path != "/" {
			t.Errorf("%s: %+v is a directory", root, f)
		}
	}
	if f := Resolve(at("a/loop/x")); f.Doubt == "" {
		t.Errorf("%+v has no end", f)
	}
	if runtime.GOOS == "linux" {
		if f := Resolve(at("self") + "/x"); f.Doubt == "" {
			t.Errorf("%+v depends on the process", f)
		}
	}
}

func TestPerProcess(t *testing.T) {
	for file, want := range map[string]bool{
		"/proc/self/root/etc": true, "/proc/self": true, "/proc/1/cwd": true, "/proc/thread-self/fd/3": true, "/dev/fd/0": true, "/dev/stdin": true,
		"/proc/cpuinfo": false, "/proc": false, "/procs/self": false, "/dev/fdx": false, "/home/proc/self": false,
	} {
		if PerProcess(file) != want {
			t.Errorf("%s: %v", file, !want)
		}
	}
}
