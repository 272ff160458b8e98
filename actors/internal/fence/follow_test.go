package fence

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"betcode/messages"
)

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

func TestFollow(t *testing.T) {
	root := place(t, "a/b", "c")
	link(t, "../a", filepath.Join(root, "c/up"))
	link(t, root+"/c/up/b", filepath.Join(root, "far"))
	link(t, "loop", filepath.Join(root, "loop"))
	f, err := follow(root + "/far")
	if err != nil || f.target != root+"/a/b" || !slices.Equal(f.links, []string{root + "/far", root + "/c/up"}) {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := follow(root + "/loop"); err == nil {
		t.Error("a loop has an end")
	}
	if _, err := follow(root + "/nothing"); !os.IsNotExist(err) {
		t.Errorf("nothing: %v", err)
	}
}

// Links that a fenced agent makes do not extend where its next run may write.
func TestPlantedLinks(t *testing.T) {
	root := place(t, "home/p/.git", "home/p/real", "home/.cache", "home/.ssh", "home/big", "home/mine", "state/tmp/1")
	home := filepath.Join(root, "home")
	write(t, filepath.Join(home, "p/.git/HEAD"), "ref: refs/heads/main\n")
	link(t, home+"/.ssh", home+"/p/sub")
	link(t, "real", home+"/p/inside")
	link(t, home+"/big", home+"/.cache/go")
	link(t, home+"/p", home+"/mine/project")
	good := Project{Directory: home + "/p", Home: home, Temp: root + "/state/tmp/1", Protected: []string{root + "/state"}}
	for name, c := range map[string]struct {
		change func(*Project)
		wrong  bool
	}{
		"a project":                           {func(*Project) {}, false},
		"behind a link of the user's":         {func(p *Project) { p.Directory = home + "/mine/project" }, false},
		"a link within the project":           {func(p *Project) { p.Directory = home + "/p/inside" }, false},
		"a working directory that is planted": {func(p *Project) { p.Directory = home + "/p/sub" }, true},
		"a cache that is planted":             {func(p *Project) { p.Environ = []string{"GOCACHE=" + home + "/.cache/go"} }, true},
		"a place that is planted":             {func(p *Project) { p.Writable = []string{"~/p/sub"} }, true},
		"a cache whose target is named": {func(p *Project) {
			p.Environ, p.Writable = []string{"GOCACHE=" + home + "/.cache/go"}, []string{"~/big"}
		}, false},
	} {
		p := good
		c.change(&p)
		got, err := p.Plan()
		if c.wrong != (messages.KindOf(err) == messages.Invalid && err != nil) || c.wrong && !strings.Contains(err.Error(), "link") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
