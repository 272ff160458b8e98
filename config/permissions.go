package config

import (
	"fmt"
	"path/filepath"
)

// Permissions are the user's rules for all sessions, in the notation of the agent:
// "Bash(git *)", "Edit(src/**/*.ts)", "mcp__github__*".
type Permissions struct {
	Allow, Deny, Ask []string
}

// FileRules are the rules of one file.
type FileRules struct {
	Permissions
	Path  string
	Lines map[string]int // line of each rule, by list and rule: "deny WebFetch"
}

// ReadPermissionsFile reads the rules of a file like settings.json, which must exist. Other
// members are ignored.
func ReadPermissionsFile(path string) (FileRules, error) {
	f := &File{Path: path}
	raw, err := readWhole(path)
	if err != nil {
		return f.FileRules(), fmt.Errorf("read rules: %w", err)
	}
	root, err := readJSON(path, raw)
	if err != nil {
		return f.FileRules(), err
	}
	if _, ok := root.value.([]member); !ok {
		f.wrong(root, "the settings must be an object")
	}
	for _, m := range root.members() {
		if m.name != "permissions" {
			continue
		}
		if _, ok := m.value.([]member); !ok {
			f.wrong(m.node, `"permissions" must be an object`)
		}
		for _, list := range m.members() {
			switch list.name {
			case "allow", "ask", "deny":
				f.member("permissions."+list.name, list)
			}
		}
	}
	if len(f.problems) > 0 {
		return (&File{Path: path}).FileRules(), f.problems[0]
	}
	return f.FileRules(), nil
}

// FileRules returns the rules of the file, with their lines.
func (f *File) FileRules() FileRules { return FileRules{f.Permissions, f.Path, f.lines} }

// DirectoryPermissions are the rules of one settings file of a directory.
type DirectoryPermissions struct {
	FileRules
	Err error // why they could not be read
}

// ReadDirectoryPermissions reads the rules in the settings files of a directory, in order of
// precedence. An unreadable file has Err set; the others are returned.
func ReadDirectoryPermissions(dir, home string) []DirectoryPermissions {
	var found []DirectoryPermissions
	for _, name := range OwnSettings(dir, home) {
		if name == ownServers {
			continue
		}
		var p DirectoryPermissions
		p.FileRules, p.Err = ReadPermissionsFile(filepath.Join(dir, name))
		found = append(found, p)
	}
	return found
}
