package main

import (
	"os"
	"path/filepath"
	"strings"
)

// linkScenarios attack what people have the daemon and the command line write, with links in
// its place.
var linkScenarios = []scenario{
	{name: "links in the place of what is written", before: outside, attack: attackLinks},
}

func attackLinks(s *siege) {
	id, away := session(), filepath.Join(s.world.Root, "outside")
	s.turn(s.converse("a", id), "echo:hello")
	file, empty := filepath.Join(away, "file"), filepath.Join(away, "empty")
	s.must(os.Mkdir(empty, 0o700), "make a directory")
	link := func(name, to string) string {
		s.must(os.Symlink(to, s.project(name)), "link")
		return s.project(name)
	}
	link("half.unfinished", empty)
	for _, one := range []struct {
		name string
		args []string
	}{
		{"a backup, to a directory", []string{"journal", "backup", link("backup", empty)}},
		{"a backup, to nothing", []string{"journal", "backup", link("new", filepath.Join(away, "new"))}},
		{"a backup that is not whole", []string{"journal", "backup", s.project("half")}},
		{"an export", []string{"session", "export", id, "--output", link("export", file)}},
		{"an export, to nothing", []string{"session", "export", id, "--output", link("export.new", filepath.Join(away, "export"))}},
		{"a token", []string{"token", "create", "phone", "--scope", "view", "--output", link("token", file)}},
		{"a token, to nothing", []string{"token", "create", "tablet", "--scope", "view", "--output", link("token.new", filepath.Join(away, "token"))}},
	} {
		printed, code := s.cli(one.args...)
		named := one.args[len(one.args)-1]
		if one.args[0] == "token" || one.args[0] == "session" {
			s.held(one.name+" is refused", code != 0, "%s", printed)
		} else if info, err := os.Lstat(named); code == 0 {
			s.held(one.name+" takes the place of the link", err == nil && info.IsDir(), "%v, %v", info, err)
		}
		names, err := os.ReadDir(away)
		inside, _ := os.ReadDir(empty)
		s.held(one.name+" is written nowhere else", err == nil && len(names) == 2 && len(inside) == 0 && s.contains(file, "old"), "%v, %v, %v", names, inside, err)
	}
	// A backup that an agent has put links into is not restored with what they lead to.
	backup := filepath.Join(s.world.Root, "kept")
	printed, code := s.cli("journal", "backup", backup)
	if code != 0 {
		s.fail("back up: %s", printed)
	}
	files, err := filepath.Glob(filepath.Join(backup, "*"))
	s.must(err, "list the backup")
	_, err = s.daemon.Stop()
	s.must(err, "stop the daemon")
	for _, name := range files {
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		s.must(os.Rename(name, name+".kept"), "move a file")
		s.must(os.Symlink(file, name), "link")
		printed, code = s.cli("journal", "restore", backup, "--state-dir", s.world.StateDir(), "--force")
		taken := ""
		s.must(filepath.WalkDir(filepath.Join(s.world.StateDir(), "journal"), func(path string, entry os.DirEntry, err error) error {
			if raw, reading := os.ReadFile(path); reading == nil && string(raw) == "old" || entry != nil && entry.Type()&os.ModeSymlink != 0 {
				taken = path
			}
			return err
		}), "look at the journal")
		s.held("a link in place of "+strings.TrimLeft(filepath.Base(name), "0123456789")+" is not restored", taken == "", "%s is what the link leads to; exit %d: %s", taken, code, printed)
		s.must(os.Remove(name), "remove the link")
		s.must(os.Rename(name+".kept", name), "move the file back")
	}
	s.start()
	_, code = s.cli("session", "show", id)
	s.held("the journal is as it was", code == 0, "exit %d", code)
}
