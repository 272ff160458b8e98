package launchplan

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"betcode/actors/internal/workdir"
	"betcode/actors/run"
	"betcode/messages"
)

// fixedDirectories is a source with the same review of each directory.
type fixedDirectories struct {
	workdir.Source
	review messages.DirectoryReview
	err    error
}

func (d fixedDirectories) Review(string, string) (messages.DirectoryReview, error) {
	return d.review, d.err
}

// An agent gets the restriction that its directory calls for, and the user's own
// servers all the same.
func TestGuard(t *testing.T) {
	home, project := t.TempDir(), filepath.Join(t.TempDir(), "p")
	memory := `{"mcpServers": {"mine": {"command": "m"}}, "projects": {"` + project + `": {"mcpServers": {"here": {"command": "h"}}}}}`
	if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte(memory), 0o600); err != nil {
		t.Fatal(err)
	}
	hook := []messages.DirectoryFinding{
		{Kind: "hook", Path: "/p/.claude/settings.json", Text: "Stop: x"},
		{Kind: "env", Path: "/p/.claude/settings.json", Text: "KEY=SECRET"},
		{Kind: "server", Path: "/p/.mcp.json", Text: "s: prog --token SECRET"},
		{Kind: "server", Path: "/p/.mcp.json", Text: `t: {"url":"SECRET"}`},
	}
	for name, test := range map[string]struct {
		directories fixedDirectories
		mode        messages.GuardMode
		strict      bool
		servers     string
	}{
		"trusted": {fixedDirectories{review: messages.DirectoryReview{Trusted: true, Findings: hook}}, messages.GuardOff, false, ""},
		"empty":   {fixedDirectories{review: messages.DirectoryReview{Trusted: true, Empty: true}}, messages.GuardQuiet, false, "here"},
		"not":     {fixedDirectories{review: messages.DirectoryReview{Findings: hook}}, messages.GuardStrict, true, "here mine"},
		"unknown": {fixedDirectories{err: os.ErrPermission}, messages.GuardStrict, true, "here mine"},
	} {
		record := messages.RunRecord{Directory: t.TempDir(), Argv: []string{"claude"}}
		environment, quiet := []string{"HOME=" + home}, zerolog.Nop()
		p := New(Deps{Inherited: environment, Directories: workdir.New(workdir.Deps{Source: test.directories, Log: &quiet})})
		argv, env, err := p.Guard(messages.SessionRecord{WorkingDirectory: project}, record)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(argv, "--strict-mcp-config") != test.strict || slices.Contains(argv, "--setting-sources") != (test.mode != messages.GuardOff) {
			t.Errorf("%s: %q", name, argv)
		}
		if slices.Contains(env, "CLAUDE_CODE_DISABLE_CRON=1") != (test.mode != messages.GuardOff) {
			t.Errorf("%s: environment %q", name, env)
		}
		if guard := run.ReadGuard(record.Directory); guard.Mode != test.mode || strings.Contains(findingText(guard), "SECRET") {
			t.Errorf("%s: %+v", name, guard)
		}
		if got := serverNames(t, record.Directory); got != test.servers {
			t.Errorf("%s: servers %q", name, got)
		}
		run.DropServers(record.Directory)
		if got := serverNames(t, record.Directory); got != "" {
			t.Errorf("%s: left behind: %q", name, got)
		}
	}
}

func findingText(g messages.Guard) string {
	var all []string
	for _, f := range g.Withheld {
		all = append(all, f.Text)
	}
	return strings.Join(all, "\n")
}

// serverNames returns the servers that an agent is given, sorted.
func serverNames(t *testing.T, directory string) string {
	t.Helper()
	path := filepath.Join(directory, run.ServersFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range file.Servers {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
