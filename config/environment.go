package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Environment is the process environment that settings depend on. Tests use their own.
type Environment struct {
	OS     string                   // as runtime.GOOS
	UID    int                      // of this process
	Getenv func(name string) string // empty for an unset variable
	Home   func() (string, error)   // the user's home directory
	Getwd  func() (string, error)   // the working directory
	IsDir  func(path string) bool   // whether there is a directory at path
}

// System returns the environment of this process.
func System() Environment {
	return Environment{
		OS: runtime.GOOS, UID: os.Getuid(), Getenv: os.Getenv, Home: homeDirectory, Getwd: os.Getwd,
		IsDir: func(path string) bool {
			info, err := os.Stat(path)
			return err == nil && info.IsDir()
		},
	}
}

// homeDirectory returns the user's home directory. A relative one would be in the current directory, which may be a repository.
func homeDirectory() (string, error) {
	dir, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(dir) {
		return "", fmt.Errorf("HOME is relative: %q", dir)
	}
	return dir, err
}

// first returns the first non-empty of a flag, an environment variable and a default.
func (e Environment) first(flag, name, fallback string) string {
	if flag != "" {
		return flag
	}
	if value := e.Getenv(name); value != "" {
		return value
	}
	return fallback
}

// absolute returns path as an absolute path; empty stays empty.
func (e Environment) absolute(path string) (string, error) {
	if path == "" || filepath.IsAbs(path) {
		return clean(path), nil
	}
	if e.isPipe(path) {
		return path, nil
	}
	wd, err := e.Getwd()
	if err != nil {
		return "", fmt.Errorf("make %q absolute: %w", path, err)
	}
	return filepath.Join(wd, path), nil
}

func clean(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Clean(path)
}

// xdg returns a directory of the XDG specification: the value of a variable, if it is absolute,
// otherwise a directory below the home directory.
func (e Environment) xdg(name string, fallback ...string) (string, error) {
	if dir := e.Getenv(name); filepath.IsAbs(dir) {
		return dir, nil
	}
	return e.underHome(fallback...)
}

func (e Environment) underHome(elements ...string) (string, error) {
	home, err := e.Home()
	if err == nil && home == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return "", fmt.Errorf("find home directory: %w; set HOME, or BETCODE_CONFIG_DIR and BETCODE_STATE_DIR", err)
	}
	return filepath.Join(append([]string{home}, elements...)...), nil
}

func (e Environment) configDir(flag string) (string, error) {
	if dir := e.first(flag, "BETCODE_CONFIG_DIR", ""); dir != "" {
		return e.absolute(dir)
	}
	switch e.OS {
	case "darwin":
		return e.underHome("Library", "Application Support", "betcode")
	case "windows":
		return e.underHome(".betcode")
	}
	dir, err := e.xdg("XDG_CONFIG_HOME", ".config")
	return join(dir, "betcode"), err
}

// stateDir returns the default state directory.
func (e Environment) stateDir() (string, error) {
	switch e.OS {
	case "darwin":
		return e.underHome("Library", "Application Support", "betcode", "state")
	case "windows":
		if dir := e.Getenv("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "betcode"), nil
		}
		return e.underHome("AppData", "Local", "betcode")
	}
	dir, err := e.xdg("XDG_STATE_HOME", ".local", "state")
	return join(dir, "betcode"), err
}

// join is filepath.Join, except that an empty dir, which comes with an error, stays empty.
func join(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// defaultSocket returns the default path of the socket, or the name of the pipe. It is in the
// configuration directory if the system has no better place.
func (e Environment) defaultSocket(configDir string) (string, error) {
	switch e.OS {
	case "linux":
		if dir := e.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "betcode", "daemon.sock"), nil
		}
		if dir := fmt.Sprintf("/run/user/%d", e.UID); e.IsDir(dir) {
			return filepath.Join(dir, "betcode", "daemon.sock"), nil
		}
	case "windows":
		return pipes + "betcode-daemon-" + pipeUser(e.Getenv("USERNAME")), nil
	}
	return join(configDir, "daemon.sock"), nil
}

// pipes is the directory of the named pipes of Windows, and pipeRoom the maximum length of a pipe's path.
const (
	pipes    = `\\.\pipe\`
	pipeRoom = 256
)

// isPipe reports whether path is a named pipe of this machine.
func (e Environment) isPipe(path string) bool {
	return e.OS == "windows" && len(path) > len(pipes) && strings.EqualFold(path[:len(pipes)], pipes)
}

// pipeUser returns a user's name as part of a pipe's name.
func pipeUser(name string) string {
	if name == "" {
		return "user"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`\/:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
}

// checkSocket refuses an address that is too long for the operating system. On Windows it also
// refuses sockets, whose mode does not keep other users out there.
func (e Environment) checkSocket(path string) error {
	if e.OS == "windows" {
		return e.checkPipe(path)
	}
	room := 108 // size of sun_path, including the final NUL
	if e.OS == "darwin" {
		room = 104
	}
	if len(path)+1 > room {
		return fmt.Errorf("use socket %s: its path has %d bytes, the system takes %d; set --socket or BETCODE_SOCKET to a shorter one",
			path, len(path), room-1)
	}
	return nil
}

func (e Environment) checkPipe(path string) error {
	if !e.isPipe(path) || len(path) > pipeRoom || strings.ContainsAny(path[len(pipes):], `\/`) {
		return fmt.Errorf(`use pipe %s: on Windows --socket and BETCODE_SOCKET are named pipes, \\.\pipe\NAME, of at most %d characters`, path, pipeRoom)
	}
	return nil
}

// UserUnits returns the directory of the user's systemd units.
func (e Environment) UserUnits() (string, error) {
	dir, err := e.xdg("XDG_CONFIG_HOME", ".config")
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "systemd", "user"), nil
}
