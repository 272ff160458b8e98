package actors

import (
	"os"
	"path/filepath"
	"testing"

	"betcode/actors/session"
	"betcode/messages"
)

func TestOptionsOfVersions(t *testing.T) {
	o := messages.AgentOptions{Effort: "low", MaxTurns: 2}
	for version, lacks := range map[string]bool{"2.0.77": true, "2.1.20": true, "2.1.119": false, "2.1.330": false, "": false} {
		if got := lackingOption(o, version); (got != "") != lacks {
			t.Errorf("%q: %q", version, got)
		}
		exit, refused := optionsRefused(o, version)
		if refused != lacks || refused && exit.Stage != session.StageVersion {
			t.Errorf("%q: %+v", version, exit)
		}
	}
	if got := lackingOption(messages.AgentOptions{MaxTurns: 2, NoTools: true}, "2.0.77"); got != "" {
		t.Errorf("2.0.77: %q", got)
	}
}

// A directory is known under each of its names. A link stands for the others here: a second
// mount needs root, and letters of either case another file system.
func TestBelow(t *testing.T) {
	root := t.TempDir()
	own, name := filepath.Join(root, "own"), filepath.Join(root, "name")
	for _, dir := range []string{filepath.Join(own, "runs"), filepath.Join(root, "ownother")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(own, name); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	for _, test := range []struct {
		path, dir string
		want      bool
	}{
		{own, own, true},
		{filepath.Join(own, "runs"), own, true},
		{filepath.Join(own, "runs"), name, true},
		{filepath.Join(name, "runs"), own, true},
		{filepath.Join(name, "runs", "none"), own, true},
		{own, name, true},
		{own, filepath.VolumeName(root) + string(filepath.Separator), true},
		{root, own, false},
		{root, name, false},
		{filepath.Join(root, "ownother"), own, false},
		{filepath.Join(root, "ownother"), name, false},
		{own, filepath.Join(root, "none"), false},
	} {
		if got := below(test.path, test.dir); got != test.want {
			t.Errorf("%s below %s: %t", test.path, test.dir, got)
		}
	}
}
