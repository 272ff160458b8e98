package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestExplicitBareRepositories(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    string
	}{
		{nil, "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.bareRepository GIT_CONFIG_VALUE_0=explicit"},
		{[]string{"A=b", "GIT_CONFIG_COUNT=2"}, "GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_2=safe.bareRepository GIT_CONFIG_VALUE_2=explicit"},
		{[]string{"GIT_CONFIG_COUNT=2", "GIT_CONFIG_COUNT=x"}, "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.bareRepository GIT_CONFIG_VALUE_0=explicit"},
	} {
		if got := strings.Join(ExplicitBareRepositories(c.environ), " "); got != c.want {
			t.Errorf("%q: %s", c.environ, got)
		}
	}
}

// git itself refuses the repository, and runs none of its programs.
func TestGitRefusesABareRepositoryItRunsIn(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	run := func(environ []string, args ...string) (string, error) {
		cmd := exec.Command(git, args...)
		cmd.Dir = filepath.Join(dir, "bare")
		cmd.Env = slices.Concat([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}, environ)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := exec.Command(git, "init", "-q", "--bare", filepath.Join(dir, "bare")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := run(nil, "rev-parse", "--is-bare-repository"); err != nil {
		t.Fatalf("without the setting: %v: %s", err, out)
	}
	if out, err := run(ExplicitBareRepositories(nil), "rev-parse", "--is-bare-repository"); err == nil {
		t.Errorf("git uses it: %s", out)
	}
	if out, err := run(ExplicitBareRepositories(nil), "--git-dir=.", "rev-parse", "--is-bare-repository"); err != nil {
		t.Errorf("git refuses it when it is named: %v: %s", err, out)
	}
}
