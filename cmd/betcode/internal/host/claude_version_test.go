package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"betcode/config"
)

func TestClaudeVersion(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "claude")
	say := func(version string) {
		t.Helper()
		if err := os.WriteFile(program+".new", []byte("#!/bin/sh\necho '"+version+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(program+".new", program); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	c := newClaudeVersion(program, config.AgentEnvironment{})
	c.ask = func(path string) (string, error) {
		asked++
		raw, err := os.ReadFile(path)
		_, version, _ := strings.Cut(string(raw), "'")
		version, _, _ = strings.Cut(version, "'")
		if version == "mute" {
			return "", errors.New("it says nothing")
		}
		return version, err
	}
	look := func(want string, times int) {
		t.Helper()
		if got := c.get(); got != want || asked != times {
			t.Errorf("%q, asked %d times; want %q, %d", got, asked, want, times)
		}
	}
	look("", 0)
	say("2.1.0")
	look("2.1.0", 1)
	look("2.1.0", 1)
	say("2.1.100")
	look("2.1.100", 2)
	say("mute")
	look("", 3)
	look("", 3)
	c.failed = time.Now().Add(-2 * versionRetry)
	look("", 4)
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(dir, "real")
	if err := os.WriteFile(elsewhere, []byte("#!/bin/sh\necho '3.0.0'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, program); err != nil {
		t.Fatal(err)
	}
	look("3.0.0", 5)
	look("3.0.0", 5)
}
