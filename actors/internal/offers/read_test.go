package offers

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"betcode/messages"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret.md")
	write(t, secret, "---\ndescription: secret\n---\n")
	write(t, dir+"/commands/fixit.md", "---\ndescription: \"Mends an issue\"\nargument-hint: [issue]\n---\nMend $1")
	write(t, dir+"/commands/web/page.md", "no front matter")
	write(t, dir+"/commands/note.txt", "no command")
	write(t, dir+"/skills/tidy/SKILL.md", "---\r\nname: tidy\r\ndescription: Tidies things\r\nhooks:\r\n  description: nested\r\n---\r\n")
	write(t, dir+"/skills/empty/README.md", "no skill")
	write(t, dir+"/agents/review.md", "---\nname: reviewer\ndescription: 'Reviews code'\n---\n")
	write(t, dir+"/agents/plain.md", strings.Repeat("x", 2*maxHead))
	if err := os.Symlink(secret, dir+"/commands/link.md"); err != nil {
		t.Skip("no symbolic links here")
	}
	want := messages.Abilities{
		Commands: []messages.AgentCommand{
			{Name: "fixit", Description: "Mends an issue", Arguments: "[issue]"}, {Name: "web:page"}, {Name: "tidy", Description: "Tidies things"},
		},
		Skills: []string{"tidy"},
		Agents: []messages.AgentType{{Name: "plain"}, {Name: "reviewer", Description: "Reviews code"}},
	}
	if got := Read(dir); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := Read(dir + "/nowhere"); !reflect.DeepEqual(got, messages.Abilities{}) {
		t.Errorf("%+v", got)
	}
}

func TestReadIsBounded(t *testing.T) {
	dir := t.TempDir()
	for n := range maxFiles + 100 {
		write(t, fmt.Sprintf("%s/commands/%04d.md", dir, n), "")
	}
	if n := len(Read(dir).Commands); n == 0 || n > maxFiles {
		t.Errorf("%d commands", n)
	}
}

func FuzzFrontMatter(f *testing.F) {
	f.Add("---\na: b\n---\n")
	f.Add("---\na: \"\n")
	f.Fuzz(func(t *testing.T, text string) {
		for key, value := range frontMatter(text) {
			if len(value) > maxText || strings.Contains(value, "\n") {
				t.Errorf("%q: %q", key, value)
			}
		}
	})
}
