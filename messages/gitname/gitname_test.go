package gitname

import (
	"os/exec"
	"strings"
	"testing"
)

// CheckBranch agrees with git, except that it refuses HEAD and @, which git resolves to the checked-out commit.
func TestCheckBranch(t *testing.T) {
	for _, name := range []string{
		"main", "feature/auth", "a.b", "a-b", "ä/ö", "a@b", "a{b", "HEADS", "x/HEAD",
		"", "-x", "a..b", "a b", "a~1", "a^", "a:b", "a?b", "a*b", "a[b", `a\b`, "/a", "a/", "a//b", ".a", "a/.b", "a.lock", "a.lock/b", "a.", "a@{b", "@", "HEAD", "a\x01b", "a\x7fb",
	} {
		accepted := exec.Command("git", "check-ref-format", "--branch", name).Run() == nil
		if name == "HEAD" || name == "@" { // git resolves it to the checked-out commit
			accepted = false
		}
		if err := CheckBranch(name); (err == nil) != accepted {
			t.Errorf("%q: %v, git accepts it: %v", name, err, accepted)
		}
	}
	if CheckBranch(strings.Repeat("x", MaxBranch+1)) == nil {
		t.Error("a long name")
	}
}

func TestCheckWorktree(t *testing.T) {
	for name, accepted := range map[string]bool{
		"login": true, "ä.b": true, strings.Repeat("x", MaxWorktree): true, strings.Repeat("x", MaxWorktree+1): false,
		"": false, "a/b": false, `a\b`: false, ".a": false, "-a": false, "a\nb": false, "..": false,
	} {
		if err := CheckWorktree(name); (err == nil) != accepted {
			t.Errorf("%q: %v", name, err)
		}
	}
}
