//go:build unix

package hook

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	sh := func(script string) []string { return []string{"/bin/sh", "-c", script, "name", "$(an argument)"} }
	env := []string{"OUT=" + out, "PATH=/usr/bin:/bin"}
	if err := Run(t.Context(), sh(`cat >"$OUT"; echo "$1" >>"$OUT"; env | grep -c HOME >>"$OUT"; exit 0`), env, []byte("input\n")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); string(got) != "input\n$(an argument)\n0\n" {
		t.Errorf("it got %q", got)
	}
	for name, c := range map[string]struct {
		argv []string
		says string
	}{
		"nothing":     {nil, "no program"},
		"not there":   {[]string{"/nonexistent/notify"}, "no such file"},
		"fails":       {sh("echo went wrong >&2; exit 3"), "exit status 3: went wrong"},
		"says a lot":  {sh("yes | head -c 1000000; exit 1"), "exit status 1: y"},
		"reads not":   {sh("exec <&-; exit 0"), ""},
		"is no match": {sh("exit 0"), ""},
	} {
		err := Run(t.Context(), c.argv, env, make([]byte, 1<<20))
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v does not say %q", name, err, c.says)
		}
		if err != nil && len(err.Error()) > maxOutput+200 {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
	}
}

// A program that does not end is killed together with its descendants.
func TestRunIsBounded(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := Run(ctx, []string{"/bin/sh", "-c", "sleep 3600 & sleep 3600"}, nil, nil); err == nil {
		t.Error("a program that was ended has succeeded")
	}
}
