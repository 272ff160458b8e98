package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"betcode/messages"
	"betcode/messages/regular"
)

// UnitName is the name of the service for systemd.
const UnitName = "betcode.service"

const (
	patience = 90 * time.Second // for one command: a start waits until the daemon serves
	most     = 1 << 20          // bytes of a file that is read
)

// Definition is the service of one user.
type Definition struct {
	Path string // of its file
	Text string
	steps
}

// steps are the commands of a service manager, without a shell.
type steps struct {
	load, unload [][]string // the last one of load starts the service
	link         string     // made by load for the start at the login, removed by unload; empty = none
	state        []string   // prints the state of the service
}

// Request is the input of [Plan].
type Request struct {
	OS      string // as runtime.GOOS
	Home    string
	Units   string // directory of the user's systemd units
	UID     int
	Program string // path of this executable
	Path    string // PATH of the daemon; empty = that of the service manager
}

// Plan returns the service of a user.
func Plan(r Request) (Definition, error) {
	switch r.OS {
	case "linux":
		text, err := systemdUnit(r.Program, absolute(r.Path))
		return Definition{
			Path: filepath.Join(r.Units, UnitName), Text: text,
			steps: steps{
				load:   [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", UnitName}, {"systemctl", "--user", "restart", UnitName}},
				unload: [][]string{{"systemctl", "--user", "disable", "--now", UnitName}},
				link:   filepath.Join(r.Units, "default.target.wants", UnitName),
				state:  []string{"systemctl", "--user", "status", "--no-pager", "--lines=5", UnitName},
			},
		}, err
	case "darwin":
		text, err := launchdAgent(r.Program, absolute(r.Path))
		domain := fmt.Sprintf("gui/%d", r.UID)
		path := filepath.Join(r.Home, "Library", "LaunchAgents", "betcode.plist")
		return Definition{
			Path: path, Text: text,
			steps: steps{
				load:   [][]string{{"launchctl", "bootstrap", domain, path}},
				unload: [][]string{{"launchctl", "bootout", domain + "/betcode"}},
				state:  []string{"launchctl", "print", domain + "/betcode"},
			},
		}, err
	}
	return Definition{}, messages.Errorf("plan service", messages.Unimplemented, "there is no service manager for %s here", r.OS).
		WithHint("let your system run 'betcode daemon run --keep-agents' at the login")
}

// Commands returns what Prepare and Start run after the file is written, for people.
func (d Definition) Commands() []string {
	var all []string
	for _, c := range d.load {
		all = append(all, strings.Join(c, " "))
	}
	return all
}

// Check returns why the file must not be written: another program or a person has written it. force overrides that.
func (d Definition) Check(force bool) error {
	switch old, err := regular.Read(d.Path, most); {
	case errors.Is(err, fs.ErrNotExist), force && err == nil:
		return nil
	case err != nil:
		return fmt.Errorf("read service: %w", err)
	case untouched(string(old)):
		return nil
	}
	return messages.Errorf("install service", messages.AlreadyExists, "%s has been changed", d.Path).
		WithHint("compare it with 'betcode service install --dry-run', and replace it with --force")
}

// Prepare writes the file and makes the service manager read it. The service does not run yet, so that a manager that cannot be
// reached costs no daemon. On failure a file that is new is removed.
func (d Definition) Prepare(ctx context.Context) error {
	_, there := os.Stat(d.Path)
	if err := os.MkdirAll(filepath.Dir(d.Path), 0o755); err != nil { //nolint:gosec // as the service manager expects it
		return fmt.Errorf("install service: %w", err)
	}
	if err := replace(d.Path, d.Text); err != nil {
		return fmt.Errorf("install service: %w", err)
	}
	for _, c := range d.load[:len(d.load)-1] {
		if err := run(ctx, c); err != nil {
			if errors.Is(there, fs.ErrNotExist) {
				err = errors.Join(err, os.Remove(d.Path))
			}
			return fmt.Errorf("install service: %w", err)
		}
	}
	return nil
}

// Start starts the service that Prepare has prepared. It returns when the daemon serves.
func (d Definition) Start(ctx context.Context) error {
	if err := run(ctx, d.load[len(d.load)-1]); err != nil {
		return fmt.Errorf("start service: %w", err)
	}
	return nil
}

// replace writes a file so that it is there whole, or as it was before.
func replace(path, text string) error {
	next, err := os.CreateTemp(filepath.Dir(path), ".betcode-*")
	if err != nil {
		return err
	}
	defer os.Remove(next.Name()) // nothing is there if it was renamed
	_, err = next.WriteString(text)
	err = errors.Join(err, next.Chmod(0o644), next.Sync(), next.Close())
	if err != nil {
		return err
	}
	return os.Rename(next.Name(), path)
}

// Removal is what [Definition.Uninstall] has done.
type Removal struct {
	Installed bool  // there was something to remove
	Unstopped error // why the service manager has not stopped the service; its file is removed
}

// Uninstall stops the service and removes its file. A manager that does not answer, as without a login, does not keep the file:
// the service starts no more.
func (d Definition) Uninstall(ctx context.Context) (Removal, error) {
	if !isThere(d.Path) {
		gone, err := d.unlink()
		return Removal{Installed: gone}, err
	}
	r := Removal{Installed: true}
	for _, c := range d.unload {
		r.Unstopped = errors.Join(r.Unstopped, run(ctx, c))
	}
	_, err := d.unlink()
	if err := errors.Join(err, os.Remove(d.Path)); err != nil {
		return r, fmt.Errorf("remove service: %w", errors.Join(err, r.Unstopped))
	}
	return r, nil
}

// unlink removes the link that starts the service at the login, which the service manager leaves when it is not reached.
func (d Definition) unlink() (gone bool, err error) {
	if d.link == "" {
		return false, nil
	}
	if info, err := os.Lstat(d.link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return false, nil //nolint:nilerr // there is no link; a person may have put something else there
	}
	if err := os.Remove(d.link); err != nil {
		return false, fmt.Errorf("remove service: %w", err)
	}
	return true, nil
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// State returns the service manager's report about the service; installed is false if its file is missing.
func (d Definition) State(ctx context.Context) (text string, installed bool) {
	if _, err := os.Stat(d.Path); err != nil {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, d.state[0], d.state[1:]...).CombinedOutput() //nolint:gosec // a fixed command
	if len(out) == 0 && err != nil {
		return err.Error(), true
	}
	return string(out), true // the exit code reports a stopped service, and so does the text
}

// run runs a command of the service manager.
func run(ctx context.Context, command []string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput() //nolint:gosec // a fixed command
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
