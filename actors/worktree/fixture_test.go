package worktree

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
	"betcode/actors/internal/git"
	"betcode/messages"
)

// fixture is a repository and the changes of it, as its actor has them.
type fixture struct {
	*testing.T
	*changes
	dir      string // everything is below it
	main     string
	sessions []messages.SessionRecord
	stopped  []messages.SessionID
	spare    int64
	setup    Setup
	trusted  bool
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{T: t, dir: dir, main: filepath.Join(dir, "project"), spare: 1 << 30, setup: Setup{Limit: time.Minute}}
	f.write("home/.gitconfig", "[user]\n\tname = Tester\n\temail = tester@example.org\n[init]\n\tdefaultBranch = main\n")
	f.write("project/README", "read me\n")
	f.write("project/a/b", "b\n")
	f.write("project/.gitignore", "ignored\n")
	f.run(f.main, "init", "-q")
	f.run(f.main, "add", ".")
	f.run(f.main, "commit", "-q", "-m", "first")
	f.restart()
	return f
}

// restart begins the life of the next daemon.
func (f *fixture) restart() {
	f.Helper()
	registry, err := Open(filepath.Join(f.dir, "state"))
	if err != nil {
		f.Fatal(err)
	}
	repositories, err := OpenRepositories(filepath.Join(f.dir, "repositories"))
	if err != nil {
		f.Fatal(err)
	}
	log := zerolog.Nop()
	f.changes = &changes{
		registry: registry, repositories: repositories, git: git.New("git", []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(f.dir, "home")}),
		log: &log, common: filepath.Join(f.main, ".git"),
		deps: &Deps{
			Common: act.Common{Now: time.Now}, Spare: func(string) (int64, error) { return f.spare, nil },
			Protected: func(path string) string {
				if filepath.Base(path) == "guarded" {
					return "it is guarded"
				}
				return ""
			},
			Setup: func() Setup { return f.setup }, Trusted: func(string) bool { return f.trusted },
			Variable: func(name string) string { return map[string]string{"PATH": os.Getenv("PATH"), "HOME": f.dir}[name] },
			Sessions: func() ([]messages.SessionRecord, error) { return f.sessions, nil },
			Stop: func(_ context.Context, id messages.SessionID) (bool, error) {
				f.stopped = append(f.stopped, id)
				return true, nil
			},
		},
	}
	f.reconcile(f.Context())
}

func (f *fixture) write(name, content string) {
	f.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) run(dir string, args ...string) string {
	f.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(f.dir, "home")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// ask makes a change and returns the error in the answer.
func (f *fixture) ask(m messages.WorktreeRequest) (any, *messages.Error) {
	answer := f.do(f.Context(), m)
	if err, failed := answer.(*messages.Error); failed {
		return nil, err
	}
	return answer, nil
}

// new is a request for a new branch.
func (f *fixture) new(branch string) messages.CreateWorktree {
	return messages.CreateWorktree{Directory: f.main, Branch: branch, CreateBranch: true, Common: f.common, Main: f.main}
}

func (f *fixture) create(m messages.CreateWorktree) messages.WorktreeView {
	f.Helper()
	answer, err := f.ask(m)
	if err != nil {
		f.Fatal(err)
	}
	return answer.(messages.WorktreeView)
}

// dieAt has the daemon die at a step.
func (f *fixture) dieAt(at step) {
	f.reached = func(s step) error {
		if s == at {
			return errDied
		}
		return nil
	}
}

// files lists everything but git's objects and logs, and lock files of the daemon.
func (f *fixture) files() string {
	f.Helper()
	var all []string
	err := filepath.Walk(f.dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !strings.Contains(path, "/.git/objects") && !strings.Contains(path, "/.git/logs") && !strings.HasSuffix(path, ".lock") {
			all = append(all, fmt.Sprint(path, info.IsDir()))
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return strings.Join(all, "\n")
}

func (f *fixture) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(f.dir, name))
	return err == nil
}
