package fence

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"betcode/messages"
)

// place makes directories below a new one and returns it, symbolic links resolved.
func place(t *testing.T, dirs ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if err := os.MkdirAll(filepath.Join(root, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// plan is without devices, relative to root.
func plan(t *testing.T, root string, p Project) []string {
	t.Helper()
	all, err := p.Plan()
	if err != nil {
		t.Fatal(err)
	}
	var below []string
	for _, path := range all {
		if rest, ok := strings.CutPrefix(path, root+"/"); ok {
			below = append(below, rest)
		} else if !strings.HasPrefix(path, "/dev/") {
			t.Errorf("%s is writable", path)
		}
	}
	return below
}

func TestPlan(t *testing.T) {
	root := place(t, "home/.claude", "home/.cache", "home/.cargo/registry", "home/.cargo/bin", "home/p", "home/notes", "home/go/pkg", "else", "state/tmp/1", "caches")
	home := filepath.Join(root, "home")
	write(t, filepath.Join(home, ".claude.json"), "{}")
	p := Project{
		Directory: filepath.Join(home, "p"), Home: home, Temp: filepath.Join(root, "state/tmp/1"),
		Environ:  []string{"XDG_CACHE_HOME=" + filepath.Join(root, "else"), "XDG_CACHE_HOME=" + filepath.Join(root, "caches"), "GOPATH=relative"},
		Writable: []string{"~/notes", "/does/not/exist"}, Protected: []string{filepath.Join(root, "state")},
	}
	want := []string{"caches", "home/.cargo/registry", "home/.claude", "home/.claude.json", "home/go/pkg", "home/notes", "home/p", "state/tmp/1"}
	if got := plan(t, root, p); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	p.Environ = []string{"CLAUDE_CONFIG_DIR=" + filepath.Join(root, "else")}
	if got := plan(t, root, p); slices.Contains(got, "home/.claude") || !slices.Contains(got, "else") {
		t.Errorf("with CLAUDE_CONFIG_DIR: %q", got)
	}
}

func TestPlanRefuses(t *testing.T) {
	root := place(t, "home/p", "home/.local/state/betcode/tmp/1", "link")
	home := filepath.Join(root, "home")
	state := filepath.Join(home, ".local/state/betcode")
	if err := os.Symlink(home, filepath.Join(root, "link/home")); err != nil {
		t.Fatal(err)
	}
	good := Project{Directory: filepath.Join(home, "p"), Home: home, Temp: filepath.Join(state, "tmp/1"), Protected: []string{state}}
	if _, err := good.Plan(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Project){
		"a home directory":         func(p *Project) { p.Directory = home },
		"one behind a link":        func(p *Project) { p.Directory = filepath.Join(root, "link/home") },
		"the state itself":         func(p *Project) { p.Directory = state },
		"a directory in it":        func(p *Project) { p.Directory = filepath.Join(state, "tmp") },
		"everything":               func(p *Project) { p.Writable = []string{"/"} },
		"a relative path":          func(p *Project) { p.Writable = []string{"notes"} },
		"a variable that opens it": func(p *Project) { p.Environ = []string{"GOMODCACHE=" + home} },
	} {
		p := good
		change(&p)
		if got, err := p.Plan(); messages.KindOf(err) != messages.Invalid {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
}

func TestRepository(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	root := place(t, "repo/sub", "plain", "victim/.git/worktrees/x")
	repo := filepath.Join(root, "repo")
	git(t, repo, "init", "-q")
	git(t, repo, "commit", "-q", "--allow-empty", "-m", "x")
	git(t, repo, "worktree", "add", "-q", filepath.Join(root, "tree"))
	at := func(names ...string) (all []string) {
		for _, n := range names {
			all = append(all, filepath.Join(root, n))
		}
		return all
	}
	for dir, want := range map[string][]string{
		"repo":     at("repo", "repo/.git"),
		"repo/sub": at("repo", "repo/.git"),
		"tree":     at("tree", "repo/.git/worktrees/tree", "repo/.git"),
	} {
		if got := repository(filepath.Join(root, dir), ""); !slices.Equal(got, want) {
			t.Errorf("%s: %q", dir, got)
		}
	}
	// A .git file that an agent has written opens nothing.
	write(t, filepath.Join(root, "victim/.git/HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(root, "victim/.git/worktrees/x/gitdir"), filepath.Join(root, "victim-tree/.git")+"\n")
	write(t, filepath.Join(root, "victim/.git/worktrees/x/commondir"), "../..\n")
	for _, text := range []string{
		"gitdir: " + filepath.Join(root, "victim/.git/worktrees/x"), "gitdir: " + filepath.Join(root, "victim"), "gitdir: ../victim/.git", "gitdir: /", "nothing", "",
	} {
		write(t, filepath.Join(root, "plain/.git"), text+"\n")
		if got := repository(filepath.Join(root, "plain"), ""); len(got) > 0 {
			t.Errorf("%q opens %q", text, got)
		}
	}
}

func TestAvailable(t *testing.T) {
	version, err := Available()
	if err != nil && messages.KindOf(err) != messages.Unimplemented {
		t.Error(err)
	}
	t.Logf("version %d, %v", version, err)
}
