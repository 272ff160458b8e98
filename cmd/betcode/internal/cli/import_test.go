package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"betcode/cmd/betcode/internal/cli/setup"
)

// strange returns a home directory with settings of Claude Code.
func strange(t *testing.T) (home, configDir string) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	configDir = filepath.Join(home, "config", "betcode")
	t.Setenv("BETCODE_CONFIG_DIR", configDir)
	t.Setenv("BETCODE_SOCKET", filepath.Join(home, "s"))
	for name, content := range map[string]string{
		"settings.json":     `{"model": "opus", "permissions": {"deny": ["WebFetch"]}, "hooks": {}}`,
		"rules/go.md":       "Write Go.",
		"rules/deep/too.md": "Write more.",
		"projects/x.jsonl":  "not this",
	} {
		path := filepath.Join(home, ".claude", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil { //nolint:gosec // as people have it
			t.Fatal(err)
		}
	}
	return home, configDir
}

func TestImport(t *testing.T) {
	home, dir := strange(t)
	if err := os.Symlink(filepath.Join(home, ".claude", "rules", "go.md"), filepath.Join(home, ".claude", "rules", "link.md")); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := command(t, "", "import", "--dry-run")
	if code != 0 || strings.Count(stdout, "would be copied") != 4 || !strings.Contains(stderr, "4 of 4 files would be copied") {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a dry run has made a directory")
	}
	code, stdout, stderr = command(t, "", "import")
	if code != 0 || strings.Count(stdout, "\tcopied\n") != 4 || !strings.Contains(stderr, "4 of 4 files were copied") {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	for _, name := range []string{"settings.json", "rules/go.md", "rules/deep/too.md", "rules/link.md"} {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("%q", left)
	}
	if _, stdout, _ := command(t, "", "config", "get", "model"); stdout != "opus\n" {
		t.Errorf("the model is %q", stdout)
	}

	// Existing files are kept, whatever they contain.
	mine := filepath.Join(dir, "settings.json")
	if err := os.WriteFile(mine, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := command(t, "", "import"); code != 0 || strings.Count(stdout, "kept") != 4 || !strings.Contains(stderr, "0 of 4") {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	if content, _ := os.ReadFile(mine); string(content) != "{}" {
		t.Errorf("%s", content)
	}
	if code, _, stderr := command(t, "", "import", "--from", filepath.Join(home, "nowhere")); code != 5 || !strings.Contains(stderr, "there is no such directory") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if code, _, stderr := command(t, "", "import", "--from", t.TempDir()); code != 0 || !strings.Contains(stderr, "nothing to import") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "settings.json"), []byte("{\n\"permissions\": 7}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := command(t, "", "import", "--from", broken); code != 5 || !strings.Contains(stderr, "settings.json:2:16") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// The import is offered once, on a terminal, if there are settings and no configuration yet.
func TestImportIsOffered(t *testing.T) {
	home, dir := strange(t)
	offers := func(onTerminal bool) bool {
		var stderr bytes.Buffer
		p := newProgram(testBuild, strings.NewReader(""), &bytes.Buffer{}, &stderr, nil)
		p.Terminal.In, p.Terminal.Err = onTerminal, onTerminal
		setup.OfferImport(p.Program, dir)
		return strings.Contains(stderr.String(), "betcode import")
	}
	if offers(false) {
		t.Error("offered to nobody")
	}
	if !offers(true) || offers(true) {
		t.Error("not offered, or twice")
	}
	if err := os.Remove(dir); err != nil { // it is empty: nothing was forced
		t.Error(err)
	}
	if err := os.RemoveAll(filepath.Join(home, ".claude")); err != nil {
		t.Fatal(err)
	}
	if offers(true) {
		t.Error("nothing was offered")
	}
}
