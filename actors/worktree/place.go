package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"betcode/messages"
	"betcode/messages/gitname"
)

const (
	opRegister   = "register repository"
	subfolder    = ".worktrees"        // of [messages.PlaceLocal], unless the settings name another
	globalFolder = "betcode-worktrees" // in the home directory
	maxPlace     = 1000                // bytes of a subfolder or path
)

// checkSettings refuses settings that cannot be applied.
func checkSettings(s messages.RepositorySettings) error {
	bad := func(hint, text string, args ...any) error {
		return messages.Errorf(opRegister, messages.Invalid, text, args...).WithHint(hint)
	}
	if why := gitname.CheckWorktree(s.Name); why != nil {
		return bad("Give a name of at most 100 bytes without slashes.", "name %q: %s", clip(s.Name), why)
	}
	for _, text := range []string{s.Subfolder, s.Path} {
		if len(text) > maxPlace || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }) {
			return bad("Give a shorter path without control characters.", "path %q is too long or has control characters", clip(text))
		}
	}
	if s.Subfolder != "" && (!filepath.IsLocal(s.Subfolder) || filepath.Clean(s.Subfolder) == "." || insideGit(s.Subfolder)) {
		return bad("Give a directory below the repository, such as .worktrees.", "subfolder %q is not below the repository", clip(s.Subfolder))
	}
	switch s.Mode {
	case messages.PlaceDefault, messages.PlaceGlobal, messages.PlaceLocal:
		return nil
	case messages.PlaceCustom:
		if !filepath.IsAbs(s.Path) {
			return bad("Give an absolute path.", "path %q is not absolute", clip(s.Path))
		}
		return nil
	}
	return bad("Use global, local or custom.", "mode %q is unknown", s.Mode)
}

func insideGit(path string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}

// place returns the directory above new worktrees of a repository whose request names no path, and creates it; empty means
// beside the repository. No link leads out of the repository.
func (c *changes) place(main string) (string, error) {
	s := c.repositories.settings(c.common)
	switch s.Mode {
	case messages.PlaceDefault:
	case messages.PlaceGlobal:
		dir := filepath.Join(c.deps.Variable("HOME"), globalFolder, s.Name)
		return dir, c.makePlace(dir)
	case messages.PlaceCustom:
		return filepath.Clean(s.Path), c.makePlace(filepath.Clean(s.Path))
	case messages.PlaceLocal:
		sub := s.Subfolder
		if sub == "" {
			sub = subfolder
		}
		root, err := os.OpenRoot(main)
		if err != nil {
			return "", err
		}
		err = root.MkdirAll(filepath.Clean(sub), 0o755)
		if err = errors.Join(err, root.Close()); err == nil && s.Ignore {
			err = ignore(c.common, "/"+strings.TrimSuffix(filepath.ToSlash(filepath.Clean(sub)), "/")+"/")
		}
		return filepath.Join(main, sub), err
	}
	return "", nil
}

func (c *changes) makePlace(dir string) error {
	if why := c.deps.Protected(dir); why != "" {
		return messages.Errorf(opCreate, messages.Denied, "no worktree is made there: %s", why).WithHint("Choose another place: betcode repo update --mode")
	}
	return os.MkdirAll(dir, 0o755)
}

// maxExclude bounds the exclude file that is read, in bytes.
const maxExclude = 1 << 20

// ignore adds a pattern to the exclude file of a repository. No link leads out of the repository.
func ignore(common, pattern string) error {
	root, err := os.OpenRoot(common)
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.Join("info", "exclude")
	if err := root.MkdirAll("info", 0o755); err != nil {
		return err
	}
	info, err := root.Stat(name)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxExclude) {
		return errors.New("info/exclude of the repository is not a small file")
	}
	content, err := root.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(content)) {
		if strings.TrimRight(line, "\r\n") == pattern {
			return nil
		}
	}
	text := pattern + "\n"
	if len(content) > 0 && content[len(content)-1] != '\n' {
		text = "\n" + text
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}
