package paths

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"betcode/messages"
)

// tree makes files, directories (with a slash at the end) and links ("a -> b").
func tree(t *testing.T, names ...string) string {
	t.Helper()
	top := filepath.Join(t.TempDir(), "work")
	for _, name := range append([]string{"./", "../secret/key", "../beside"}, names...) {
		link, to, isLink := strings.Cut(name, " -> ")
		path := filepath.Join(top, link)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		switch {
		case err != nil:
		case isLink:
			err = os.Symlink(to, path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o700)
		default:
			err = os.WriteFile(path, []byte("12345"), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return top
}

func TestComplete(t *testing.T) {
	top := tree(t, "main.go", "make/", "Makefile", ".git/", ".env", "src/a.go", "src/b/c.go", "src/.hidden", "empty/",
		"in -> src", "near -> main.go", "out -> ../secret", "up -> ..", "beside -> ../beside", "gone -> nowhere", "src/far -> ../../secret/key", "loop -> loop")
	for query, want := range map[string]string{
		"":               "empty/ make/ src/ Makefile in@ main.go near@",
		"ma":             "make/ main.go",
		"main.go":        "main.go",
		".":              ".git/ .env",
		".e":             ".env",
		"src/":           "src/b/ src/a.go",
		"src/.":          "src/.hidden",
		"./src//b/":      "src/b/c.go",
		"in/":            "in/b/ in/a.go",
		"x":              "",
		"x/y":            "",
		"main.go/":       "",
		"empty/":         "",
		top + "/sr":      "src/",
		"gone/":          "",
		"src/../":        "invalid",
		"../":            "invalid",
		"..":             "invalid",
		"/etc/":          "invalid",
		top:              "invalid",
		top + "x":        "invalid",
		"a\x00":          "invalid",
		"out/":           "denied",
		"up/":            "denied",
		"up/project/src": "denied",
		"loop/":          "denied",
	} {
		got := ""
		list, err := Complete(top, query, 100)
		if err != nil {
			got = messages.KindOf(err).String()
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: it tells what is outside: %v", query, err)
		}
		for _, e := range list.Entries {
			got += " " + e.Path + [...]string{"?", "", "/", "@"}[e.Kind]
			if e.Modified.IsZero() || (e.Kind == messages.PathFile) != (e.Size == 5) {
				t.Errorf("%q: %+v", query, e)
			}
		}
		if strings.TrimSpace(got) != want || list.Truncated {
			t.Errorf("%q: got %q, want %q", query, strings.TrimSpace(got), want)
		}
	}
	if _, err := Complete(filepath.Join(top, "nowhere"), "", 1); messages.KindOf(err) != messages.NotFound {
		t.Errorf("no directory: %v", err)
	}
}

// TestBounds: an answer is cut and marked as cut, and reading of a directory is bounded.
func TestBounds(t *testing.T) {
	var names []string
	for n := range 30 {
		names = append(names, fmt.Sprintf("f%02d", n))
	}
	top := tree(t, append(names, "z/")...)
	list, err := Complete(top, "", 3)
	if err != nil || !list.Truncated || len(list.Entries) != 3 || list.Entries[0].Path != "z" || list.Entries[2].Path != "f01" {
		t.Errorf("%+v %v", list, err)
	}
}

// TestPipe: what cannot be opened without waiting is not opened.
func TestPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such pipes")
	}
	top := tree(t)
	if err := mkfifo(filepath.Join(top, "pipe")); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"", "pipe", "pipe/"} {
		list, err := Complete(top, query, 9)
		if err != nil || (query != "pipe/") != (len(list.Entries) == 1) {
			t.Errorf("%q: %+v %v", query, list, err)
		}
	}
}

func FuzzComplete(f *testing.F) {
	for _, query := range []string{"", "src/", "../", "out/x", "in/b/c", "/etc", "a//b/./c", ".", "...", "~"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		top := tree(t, "src/a", "in -> src", "out -> ../secret")
		list, err := Complete(top, query, 10)
		if err != nil {
			return
		}
		for _, e := range list.Entries {
			target, err := filepath.EvalSymlinks(filepath.Join(top, filepath.FromSlash(e.Path)))
			here, _ := filepath.EvalSymlinks(top)
			if err != nil || !strings.HasPrefix(target, here+string(filepath.Separator)) {
				t.Errorf("%q completes to %q, which is %q (%v)", query, e.Path, target, err)
			}
		}
	})
}
