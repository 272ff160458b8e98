package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"betcode/actors/internal/protect"
	"betcode/actors/internal/rules"
	"betcode/actors/internal/ruleset"
	"betcode/actors/internal/workdir"
	"betcode/actors/settings"
	"betcode/messages"
)

// An edited input is compared with the deny rules and the built-in list before it is accepted.
func TestCheckEdit(t *testing.T) {
	directory := t.TempDir()
	if err := os.Symlink(filepath.Join(directory, ".git", "hooks"), filepath.Join(directory, "hooks")); err != nil {
		t.Fatal(err)
	}
	quiet, user := zerolog.Nop(), ruleset.Read(settings.Rules{Deny: []string{"Bash(rm *)"}, Source: "settings.json"})
	records := map[messages.RequestID]messages.PermissionRecord{
		"p1": {Request: "p1", Tool: "Bash", Input: rules.InputOf("Bash", "ls"), Formerly: []messages.RequestID{"p0"}},
		"p2": {Request: "p2", Tool: "Write", Input: rules.InputOf("Write", ".mcp.json")},
	}
	checks := New(Deps{
		Load: func(messages.SessionID) (messages.SessionLoaded, error) {
			return messages.SessionLoaded{
				Found: true, Record: messages.SessionRecord{WorkingDirectory: directory},
				Permissions: []messages.PermissionRecord{records["p1"], records["p2"]},
			}, nil
		},
		Rules:       func() *rules.Set { return user.Rules },
		Directories: workdir.New(workdir.Deps{Log: &quiet}), Protected: protect.New(protect.Places{Home: "/home/u"}, protect.Places{}),
	})
	for name, c := range map[string]struct {
		request  messages.RequestID
		decision messages.Decision
		input    []byte
		want     string // empty: it may run
	}{
		"harmless":                 {"p1", messages.AllowWithEdit, rules.InputOf("Bash", "ls -l"), ""},
		"denied":                   {"p1", messages.AllowWithEdit, rules.InputOf("Bash", "rm x"), "a rule forbids"},
		"denied, by a former id":   {"p0", messages.AllowWithEdit, rules.InputOf("Bash", "rm x"), "a rule forbids"},
		"denied, of a question":    {"p1/0", messages.AllowWithEdit, rules.InputOf("Bash", "rm x"), "a rule forbids"},
		"protected":                {"p1", messages.AllowWithEdit, rules.InputOf("Bash", "echo x > .mcp.json"), "is protected"},
		"protected, behind a link": {"p1", messages.AllowWithEdit, rules.InputOf("Bash", "echo x > hooks/pre-commit"), "is protected"},
		"as protected as before":   {"p2", messages.AllowWithEdit, rules.InputOf("Write", ".mcp.json"), ""},
		"protected otherwise":      {"p2", messages.AllowWithEdit, rules.InputOf("Write", ".git/config"), "is protected"},
		"no edit":                  {"p1", messages.AllowOnce, rules.InputOf("Bash", "rm x"), ""},
		"nothing edited":           {"p1", messages.AllowWithEdit, nil, ""},
		"nobody asks":              {"p9", messages.AllowWithEdit, rules.InputOf("Bash", "rm x"), ""},
	} {
		err := checks.Edit(messages.AnswerPermission{Request: c.request, Decision: c.decision, Updated: c.input})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || messages.AsError("", err).Code != messages.EditRefused):
			t.Errorf("%s: %v", name, err)
		}
	}
}
