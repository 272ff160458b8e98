//go:build unix

package trust

import (
	"os"
	"syscall"
	"testing"
)

func makePipe(t *testing.T, path string) bool {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return true
}

// A file of another user is not trusted, nor a link to one.
func TestForeignOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	tr := newTree(t)
	tr.write("p/.mcp.json", server)
	tr.write("q/.claude/commands/a.md", "x")
	tr.write("elsewhere.md", "x")
	if err := os.Symlink("../../../elsewhere.md", tr.path("q/.claude/commands/b.md")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"p/.mcp.json", "elsewhere.md"} {
		if err := os.Chown(tr.path(name), 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"p", "q"} {
		if r := tr.inspect(dir); len(r.Problems) != 1 || r.Problems[0].Reason != "belongs to another user" {
			t.Errorf("%s: %v", dir, r.Problems)
		}
	}
}
