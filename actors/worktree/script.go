package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"betcode/messages/regular"
)

// setupScript prepares new worktrees of a repository.
const setupScript = ".betcode/worktree-setup.sh"

// maxScript bounds the script, in bytes. Trust accepts no larger file.
const maxScript = 16 << 20

// shell runs commands, and scripts without an interpreter line.
const shell = "/bin/sh"

// command is a program of a setup with its arguments.
type command struct {
	name   string // for people
	args   []string
	script []byte // its file becomes the last argument of the interpreter in args; nil = there is no script
}

// hasSetup reports whether a worktree has a script or commands to prepare it.
func (c *changes) hasSetup(rec record) bool {
	info, err := os.Lstat(scriptOf(rec))
	return err == nil && info.Mode().IsRegular() || len(c.deps.Setup().Commands) > 0
}

func scriptOf(rec record) string { return filepath.Join(rec.Path, filepath.FromSlash(setupScript)) }

// commands returns the commands that prepare a worktree. files are the trusted files with their hashes. The script is the bytes
// that were hashed here and are trusted: its file may be replaced at any time, and is not read again.
func (c *changes) commands(rec record, files map[string]string) ([]command, error) {
	path := scriptOf(rec)
	trusted, expected := files[path]
	info, err := os.Lstat(path)
	if there := err == nil && info.Mode().IsRegular(); there || expected {
		script, err := regular.Read(path, maxScript)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errChanged
		}
		if err != nil {
			return nil, err
		}
		if sum := sha256.Sum256(script); hex.EncodeToString(sum[:]) != trusted {
			return nil, errChanged
		}
		return []command{{name: filepath.Base(path), args: interpreter(script), script: script}}, nil
	}
	var all []command
	for _, text := range c.deps.Setup().Commands {
		all = append(all, command{name: text, args: []string{shell, "-c", text}})
	}
	return all, nil
}

// interpreter returns the program, with its argument, that the first line of a script names, as the kernel reads it.
func interpreter(script []byte) []string {
	first, _, _ := strings.Cut(string(script[:min(len(script), 256)]), "\n")
	named, found := strings.CutPrefix(first, "#!")
	named = strings.Trim(named, " \t\r")
	if !found || !filepath.IsAbs(named) {
		return []string{shell}
	}
	program, argument, _ := strings.Cut(strings.ReplaceAll(named, "\t", " "), " ")
	if argument = strings.TrimLeft(argument, " "); argument != "" {
		return []string{program, argument}
	}
	return []string{program}
}

// private returns an unnamed file with a script, so that no other process can open it.
func private(dir string, script []byte) (*os.File, error) {
	file, err := os.CreateTemp(dir, "setup-*"+unnamed)
	if err != nil {
		return nil, fmt.Errorf("copy the setup script: %w", err)
	}
	defer file.Close()
	defer os.Remove(file.Name())
	if _, err := file.Write(script); err != nil {
		return nil, fmt.Errorf("copy the setup script: %w", err)
	}
	if err := file.Chmod(0o400); err != nil {
		return nil, fmt.Errorf("copy the setup script: %w", err)
	}
	return os.Open(file.Name())
}

// unnamed is the suffix of a private script until its name is removed.
const unnamed = ".script"

// removeScripts removes private scripts of a daemon that crashed before it had removed their names.
func removeScripts(dir string) error {
	left, _ := filepath.Glob(filepath.Join(dir, "setup-*"+unnamed)) // the pattern is well formed
	var errs []error
	for _, path := range left {
		errs = append(errs, os.Remove(path))
	}
	return errors.Join(errs...)
}
