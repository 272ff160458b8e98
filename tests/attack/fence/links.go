package fence

import (
	"os"
	"path/filepath"
	"strings"

	"betcode/tests/attack/siege"
)

// linkScenarios attack what people have the daemon and the command line write, with links in
// its place.
var linkScenarios = []siege.Scenario{
	{Name: "links in the place of what is written", Before: outside, Attack: attackLinks},
}

func attackLinks(s *siege.Siege) {
	id, away := siege.NewSession(), filepath.Join(s.World.Root, "outside")
	s.Turn(s.Converse("a", id), "echo:hello")
	file, empty := filepath.Join(away, "file"), filepath.Join(away, "empty")
	s.Must(os.Mkdir(empty, 0o700), "make a directory")
	link := func(name, to string) string {
		s.Must(os.Symlink(to, s.Project(name)), "link")
		return s.Project(name)
	}
	link("half.unfinished", empty)
	for _, one := range []struct {
		name string
		args []string
	}{
		{"a backup, to a directory", []string{"journal", "backup", link("backup", empty)}},
		{"a backup, to nothing", []string{"journal", "backup", link("new", filepath.Join(away, "new"))}},
		{"a backup that is not whole", []string{"journal", "backup", s.Project("half")}},
		{"an export", []string{"session", "export", id, "--output", link("export", file)}},
		{"an export, to nothing", []string{"session", "export", id, "--output", link("export.new", filepath.Join(away, "export"))}},
		{"a token", []string{"token", "create", "phone", "--scope", "view", "--output", link("token", file)}},
		{"a token, to nothing", []string{"token", "create", "tablet", "--scope", "view", "--output", link("token.new", filepath.Join(away, "token"))}},
	} {
		printed, code := s.Cli(one.args...)
		named := one.args[len(one.args)-1]
		if one.args[0] == "token" || one.args[0] == "session" {
			s.Held(one.name+" is refused", code != 0, "%s", printed)
		} else if info, err := os.Lstat(named); code == 0 {
			s.Held(one.name+" takes the place of the link", err == nil && info.IsDir(), "%v, %v", info, err)
		}
		names, err := os.ReadDir(away)
		inside, _ := os.ReadDir(empty)
		s.Held(one.name+" is written nowhere else", err == nil && len(names) == 2 && len(inside) == 0 && s.Contains(file, "old"), "%v, %v, %v", names, inside, err)
	}
	// Restoring a backup that contains links of an agent does not copy their targets.
	backup := filepath.Join(s.World.Root, "kept")
	printed, code := s.Cli("journal", "backup", backup)
	if code != 0 {
		s.Fail("back up: %s", printed)
	}
	files, err := filepath.Glob(filepath.Join(backup, "*"))
	s.Must(err, "list the backup")
	_, err = s.Daemon.Stop()
	s.Must(err, "stop the daemon")
	for _, name := range files {
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		s.Must(os.Rename(name, name+".kept"), "move a file")
		s.Must(os.Symlink(file, name), "link")
		printed, code = s.Cli("journal", "restore", backup, "--state-dir", s.World.StateDir(), "--force")
		taken := ""
		s.Must(filepath.WalkDir(filepath.Join(s.World.StateDir(), "journal"), func(path string, entry os.DirEntry, err error) error {
			if raw, reading := os.ReadFile(path); reading == nil && string(raw) == "old" || entry != nil && entry.Type()&os.ModeSymlink != 0 {
				taken = path
			}
			return err
		}), "look at the journal")
		s.Held("a link in place of "+strings.TrimLeft(filepath.Base(name), "0123456789")+" is not restored", taken == "", "%s is what the link leads to; exit %d: %s", taken, code, printed)
		s.Must(os.Remove(name), "remove the link")
		s.Must(os.Rename(name+".kept", name), "move the file back")
	}
	s.Start()
	_, code = s.Cli("session", "show", id)
	s.Held("the journal is as it was", code == 0, "exit %d", code)
}
