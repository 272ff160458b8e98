package claudecli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	dir := func(name, body string) string {
		d := filepath.Join(root, name)
		script(t, filepath.Join(d, "claude"), body)
		return d
	}
	var (
		old    = dir("old", "echo '1.9.9 (Claude Code)'")
		other  = dir("other", "echo 'some other claude'")
		broken = dir("broken", "exit 3")
		good   = dir("good", "echo '2.1.900 (Claude Code)'")
		empty  = t.TempDir()
	)
	join := func(dirs ...string) string { return strings.Join(dirs, string(os.PathListSeparator)) }
	for _, c := range []struct {
		name, path, want string
		errs             []string
	}{
		{name: "the first suitable one", path: join(empty, old, other, broken, good), want: good},
		{name: "only unsuitable ones", path: join(old, other, broken), errs: []string{"1.9.9", "some other claude", "exit status 3"}},
		{name: "relative entries are not trusted", path: join(".", "", empty), errs: []string{ErrNotFound.Error()}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, version, err := Find(t.Context(), c.path)
			if c.want != "" {
				if err != nil || path != filepath.Join(c.want, "claude") || version != "2.1.900" {
					t.Errorf("Find = %q, %q, %v; want the one in %s", path, version, err, c.want)
				}
				return
			}
			for _, part := range c.errs {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("error = %v, want it to mention %q", err, part)
				}
			}
		})
	}
	if _, _, err := Find(t.Context(), empty); !errors.Is(err, ErrNotFound) {
		t.Errorf("error = %v, want ErrNotFound", err)
	}
}

func TestOlder(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"2.1.328", "2.1.328", false},
		{"2.1.99", "2.1.328", true},
		{"2.2.0", "2.1.328", false},
		{"1.9.999", "2.0.0", true},
	} {
		if got := older(c.a, c.b); got != c.want {
			t.Errorf("older(%s, %s) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestEnvPassesNothingOn(t *testing.T) {
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "a real one")
	env := Env("/some/home", "http://127.0.0.1:1")
	for _, want := range []string{"HOME=/some/home", "ANTHROPIC_BASE_URL=http://127.0.0.1:1", "ANTHROPIC_API_KEY=dummy"} {
		if !slices.Contains(env, want) {
			t.Errorf("Env lacks %s", want)
		}
	}
	if i := slices.IndexFunc(env, func(v string) bool { return strings.Contains(v, "a real one") }); i >= 0 {
		t.Errorf("Env passes on %s", env[i])
	}
}
