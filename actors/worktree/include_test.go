package worktree

import (
	"os"
	"path/filepath"
	"testing"

	"betcode/messages"
)

// Only listed ignored files are copied: no others, no links, nothing from outside.
func TestInclude(t *testing.T) {
	f := newFixture(t)
	f.write("outside/secret", "x")
	f.write("project/.gitignore", ".env*\nlocal/\nlink\nlinked\ntracked-ignored\nbig\n")
	f.write("project/.worktreeinclude", ".env\nlocal/deep/*.txt\nlink\nlinked/secret\nvisible\n../outside/secret\nbig\n")
	f.write("project/.env", "KEY=1\n")
	f.write("project/.env.other", "not named")
	f.write("project/local/deep/a.txt", "a")
	f.write("project/local/deep/a.bin", "not named")
	f.write("project/visible", "named, not ignored")
	f.write("project/big", "0123456789")
	for name, target := range map[string]string{"link": "outside/secret", "linked": "outside"} {
		if err := os.Symlink(filepath.Join(f.dir, target), filepath.Join(f.main, name)); err != nil {
			t.Fatal(err)
		}
	}
	f.run(f.main, "add", ".gitignore", ".worktreeinclude")
	f.run(f.main, "commit", "-q", "-m", "include")
	v := f.create(f.new("fresh"))
	for name, want := range map[string]bool{
		".env": true, "local/deep/a.txt": true, "big": true, ".env.other": false, "local/deep/a.bin": false, "visible": false, "link": false, "linked": false, "linked/secret": false,
	} {
		if got := f.exists("project-fresh/" + name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if content, err := os.ReadFile(filepath.Join(v.Path, ".env")); err != nil || string(content) != "KEY=1\n" {
		t.Errorf("%q, %v", content, err)
	}
	if info, err := os.Stat(filepath.Join(v.Path, ".env")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// The copy is not there again, and there is little room.
	rec, err := f.registry.find("test", v.ID)
	if err != nil {
		t.Fatal(err)
	}
	f.write("project-fresh/.env", "mine")
	if err := os.Remove(filepath.Join(v.Path, "big")); err != nil {
		t.Fatal(err)
	}
	f.spare = 9
	if err := f.include(t.Context(), rec); messages.KindOf(err) != messages.Exhausted || f.exists("project-fresh/big") {
		t.Errorf("too large: %v", err)
	}
	if content, _ := os.ReadFile(filepath.Join(v.Path, ".env")); string(content) != "mine" {
		t.Errorf("replaced by %q", content)
	}
}
