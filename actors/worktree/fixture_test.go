package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"betcode/actors/internal/act"
	"betcode/actors/internal/git"
	"betcode/actors/internal/git/gittest"
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

	retention time.Duration
	audited   []messages.AuditEntry
	exchange  func() // simulates an agent right after the check of the trusted files
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := gittest.Directory(t)
	f := &fixture{T: t, dir: dir, main: filepath.Join(dir, "project"), spare: 1 << 30, setup: Setup{Limit: time.Minute}}
	gittest.Configure(t, filepath.Join(dir, "home"))
	f.write("project/README", "read me\n")
	f.write("project/a/b", "b\n")
	f.write("project/.gitignore", "ignored\n")
	gittest.Commit(t, filepath.Join(dir, "home"), f.main)
	f.restart()
	return f
}

// restart simulates the next daemon.
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
			Retention: func() time.Duration { return f.retention }, Audit: func(e messages.AuditEntry) { f.audited = append(f.audited, e) },
			Setup: func() Setup { return f.setup }, Trusted: func(dir string) (map[string]string, bool) { return f.covered(dir), f.trusted },
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
	gittest.Write(f, filepath.Join(f.dir, name), content, 0o600)
}

func (f *fixture) run(dir string, args ...string) string {
	f.Helper()
	return gittest.Run(f, filepath.Join(f.dir, "home"), dir, args...)
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

// covered are the files of a worktree that trust covers. Then exchange happens.
func (f *fixture) covered(dir string) map[string]string {
	path := filepath.Join(dir, setupScript)
	content, err := os.ReadFile(path)
	if f.exchange != nil {
		f.exchange()
	}
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(content)
	return map[string]string{path: hex.EncodeToString(sum[:])}
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
