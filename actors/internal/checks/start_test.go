package checks

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"

	"betcode/actors/internal/protect"
	"betcode/actors/internal/workdir"
	"betcode/messages"
)

// A new session gets the facts of its directory; an existing one is not changed, even if its directory is missing.
func TestStart(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, own, link, file := filepath.Join(root, "p"), filepath.Join(root, "own"), filepath.Join(root, "link"), filepath.Join(root, "file")
	for _, dir := range []string{project, own} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(project, link); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	quiet := zerolog.Nop()
	c := New(Deps{
		Exists: func(id messages.SessionID) bool { return id == "old" }, Version: func() string { return "2.0.77" }, Own: []string{own},
		Directories: workdir.New(workdir.Deps{Log: &quiet}),
	})
	for name, test := range map[string]struct {
		m    messages.StartSession
		want messages.Kind // 0: it is started
	}{
		"plain":                  {messages.StartSession{WorkingDirectory: project}, 0},
		"a link":                 {messages.StartSession{WorkingDirectory: link}, 0},
		"old":                    {messages.StartSession{Session: "old", WorkingDirectory: filepath.Join(root, "none")}, 0},
		"no directory":           {messages.StartSession{}, messages.Invalid},
		"gone":                   {messages.StartSession{WorkingDirectory: filepath.Join(root, "none")}, messages.Invalid},
		"a file":                 {messages.StartSession{WorkingDirectory: file}, messages.Invalid},
		"an added one":           {messages.StartSession{WorkingDirectory: project, Options: messages.AgentOptions{Directories: []string{link}}}, 0},
		"an added file":          {messages.StartSession{WorkingDirectory: project, Options: messages.AgentOptions{Directories: []string{file}}}, messages.Invalid},
		"the daemon's, added":    {messages.StartSession{WorkingDirectory: project, Options: messages.AgentOptions{Directories: []string{own}}}, messages.Invalid},
		"above the daemon's":     {messages.StartSession{WorkingDirectory: project, Options: messages.AgentOptions{Directories: []string{root}}}, messages.Invalid},
		"an option of later":     {messages.StartSession{WorkingDirectory: project, Options: messages.AgentOptions{Effort: "low"}}, messages.WrongState},
		"old, an option, a file": {messages.StartSession{Session: "old", WorkingDirectory: file, Options: messages.AgentOptions{Effort: "low"}}, 0},
	} {
		got, err := c.Start(test.m)
		if (err != nil) != (test.want != 0) || err != nil && messages.KindOf(err) != test.want {
			t.Errorf("%s: %v", name, err)
		}
		switch {
		case name == "a link" && got.Resolved != project, name != "a link" && err == nil && got.Resolved != "":
			t.Errorf("%s: resolved to %q", name, got.Resolved)
		case name == "an added one" && got.Options.Directories[0] != project:
			t.Errorf("%s: %q", name, got.Options.Directories)
		}
	}
}

// Requests that may let an agent accept edits list the protected files below its directory.
func TestComplete(t *testing.T) {
	home := t.TempDir()
	c := New(Deps{
		Protected: protect.New(protect.Places{Home: home}, protect.Places{}),
		Load: func(messages.SessionID) (messages.SessionLoaded, error) {
			return messages.SessionLoaded{Found: true, Record: messages.SessionRecord{WorkingDirectory: home}}, nil
		},
	})
	exposed := func(r messages.Request) string {
		switch m := c.Complete(r).(type) {
		case messages.StartSession:
			return m.Exposed
		case messages.ChangeSettings:
			return m.Exposed
		case messages.Idempotent:
			return m.Request.(messages.ChangeSettings).Exposed
		}
		return ""
	}
	change := messages.ChangeSettings{Session: "a", PermissionMode: "acceptEdits"}
	for _, r := range []messages.Request{messages.StartSession{WorkingDirectory: home, PermissionMode: "acceptEdits"}, change, messages.Idempotent{Request: change}} {
		if exposed(r) == "" {
			t.Errorf("%T: nothing is said about files in the home directory", r)
		}
	}
	for _, r := range []messages.Request{messages.StartSession{WorkingDirectory: home}, messages.ChangeSettings{Session: "a"}} {
		if why := exposed(r); why != "" {
			t.Errorf("%T without a mode: %s", r, why)
		}
	}
}
