package config

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// CheckProgram checks the program of a [Command] setting: it must exist and be executable. A bare name is looked up in this process's PATH.
func CheckProgram(argv []string) error {
	if len(argv) == 0 {
		return nil
	}
	program := argv[0]
	if strings.ContainsAny(program, `/\`) && !filepath.IsAbs(program) {
		return fmt.Errorf("%s is relative to the daemon's directory; write the absolute path", program)
	}
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("%w; name an executable file, or a program in PATH", err)
	}
	return nil
}

// ProgramWarnings returns a warning for each program in the settings that cannot be started. They
// are not errors, since a daemon works without notifications.
func (s Settings) ProgramWarnings() []*FileError {
	var all []*FileError
	for _, v := range s.Values {
		argv, ok := v.Value.([]string)
		if v.Kind != Command || !ok {
			continue
		}
		if err := CheckProgram(argv); err != nil {
			all = append(all, &FileError{Path: v.Origin.Name, Line: v.Origin.Line, Column: 1, Err: fmt.Errorf("%s: %w", v.Name, err)})
		}
	}
	return all
}

// ProgramOf parses the text of a [Command] setting and checks its program. It ignores other
// settings and text that is not a command.
func ProgramOf(name, text string) error {
	s := find(name)
	if s == nil || s.Kind != Command {
		return nil
	}
	argv, ok := parseCommand(text)
	if !ok {
		return nil // the parser of the setting reports it
	}
	if err := CheckProgram(argv); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	return nil
}
