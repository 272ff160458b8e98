package config

import (
	"fmt"
	"path/filepath"
)

// Permissions are the rules a user has written down for all sessions, in the
// agent's own notation: "Bash(git *)", "Edit(src/**/*.ts)", "mcp__github__*".
type Permissions struct {
	Allow, Deny, Ask []string
}

// FileRules are the rules of one file.
type FileRules struct {
	Permissions
	Path string
}

// ReadPermissionsFile reads the rules of a file like settings.json, which must be
// there. What else the file has does not matter.
func ReadPermissionsFile(path string) (Permissions, error) {
	raw, err := readWhole(path)
	if err != nil {
		return Permissions{}, fmt.Errorf("read rules: %w", err)
	}
	return rulesIn(path, raw)
}

// rulesIn reads nothing but the rules of a settings file.
func rulesIn(path string, raw []byte) (Permissions, error) {
	root, err := readJSON(path, raw)
	if err != nil {
		return Permissions{}, err
	}
	f := &File{Path: path}
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
		return Permissions{}, f.problems[0]
	}
	return f.Permissions, nil
}

// DirectoryPermissions are the rules of one of a directory's own settings.
type DirectoryPermissions struct {
	FileRules
	Err error // why they could not be read
}

// ReadDirectoryPermissions reads the rules that a directory brings along, the
// nearer file first. What cannot be read is told, and the rest is returned.
func ReadDirectoryPermissions(dir, home string) []DirectoryPermissions {
	var found []DirectoryPermissions
	for _, name := range OwnSettings(dir, home) {
		if name == ownServers {
			continue
		}
		p := DirectoryPermissions{FileRules: FileRules{Path: filepath.Join(dir, name)}}
		p.Permissions, p.Err = ReadPermissionsFile(p.Path)
		found = append(found, p)
	}
	return found
}
