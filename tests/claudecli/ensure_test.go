package claudecli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// script writes an executable shell script.
func script(t *testing.T, path, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// installs returns an installer whose claude prints the given version, and the number of its calls.
func installs(t *testing.T, version string) (installer, *atomic.Int32) {
	var calls atomic.Int32
	return func(_ context.Context, prefix, _ string, _ io.Writer) error {
		calls.Add(1)
		native := filepath.Join(prefix, "node_modules", Package+"-"+platform(), "claude")
		script(t, native, "echo '"+version+" (Claude Code)'")
		return nil
	}, &calls
}

func TestEnsureInstallsOnceForAll(t *testing.T) {
	cache := t.TempDir()
	install, calls := installs(t, Version)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			path, err := ensureIn(t.Context(), cache, Version, nil, install)
			if err != nil {
				t.Errorf("ensure: %v", err)
			} else if !isExecutable(path) {
				t.Errorf("%s is not executable", path)
			}
		})
	}
	all.Wait()
	if n := calls.Load(); n != 1 {
		t.Errorf("installed %d times, want once", n)
	}
	left, err := filepath.Glob(filepath.Join(cache, "*.partial-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestEnsureRefusesAnotherVersion(t *testing.T) {
	cache := t.TempDir()
	install, _ := installs(t, "1.0.0")
	if _, err := ensureIn(t.Context(), cache, Version, nil, install); err == nil || !strings.Contains(err.Error(), "1.0.0") {
		t.Errorf("error = %v, want one that names the version", err)
	}
	if _, err := os.Stat(filepath.Join(cache, Version)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the wrong version was moved into place: %v", err)
	}
}

func TestEnsureRepairsAnEmptyInstallation(t *testing.T) {
	cache := t.TempDir()
	if err := os.MkdirAll(filepath.Join(cache, Version, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	install, calls := installs(t, Version)
	if _, err := ensureIn(t.Context(), cache, Version, nil, install); err != nil || calls.Load() != 1 {
		t.Errorf("ensure = %v after %d installations, want success after one", err, calls.Load())
	}
}

func TestEnsureGivesUpWaitingWithItsContext(t *testing.T) {
	cache := t.TempDir()
	unlock, err := lock(t.Context(), filepath.Join(cache, Version+".lock"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	install, _ := installs(t, Version)
	var progress bytes.Buffer
	if _, err := ensureIn(ctx, cache, Version, &progress, install); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want context.Canceled", err)
	}
	if !strings.Contains(progress.String(), "waiting") {
		t.Errorf("progress = %q, want it to say that it waits", progress.String())
	}
}

func TestNoNPMSaysWhatToDo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := npmInstall(t.Context(), t.TempDir(), Version, io.Discard)
	if !errors.Is(err, ErrNoNPM) || !strings.Contains(err.Error(), "Node.js") {
		t.Errorf("error = %v, want ErrNoNPM with advice", err)
	}
}

// TestEnsureReal fetches the real thing when the cache is cold.
func TestEnsureReal(t *testing.T) {
	if testing.Short() {
		t.Skip("needs npm when the cache is cold")
	}
	path, err := Ensure(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := versionOf(t.Context(), path); err != nil || got != Version {
		t.Errorf("version = %q, %v; want %q", got, err, Version)
	}
	if strings.Contains(path, ".bin") {
		t.Errorf("path %s is a link, want the native program", path)
	}
}
