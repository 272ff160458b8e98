package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"betcode/messages"
)

const (
	maxOutput = 16 << 20 // bytes of one command's output
	maxErrors = 16 << 10 // bytes of its standard error
	grace     = 5 * time.Second
	// The oldest version of git that ends the fields of "worktree list" with NUL.
	oldestMajor, oldestMinor = 2, 36
)

// Git runs one git executable. It is safe for concurrent use.
type Git struct {
	program string
	environ []string
	usable  atomic.Bool // the version was checked
}

// New returns a Git that runs program, looked up in PATH if it has no slash. Of environ, entries of the form NAME=value, git
// gets the variables it needs and no others.
func New(program string, environ []string) *Git {
	return &Git{program: program, environ: environment(environ)}
}

// inherited are the variables of the daemon that git gets. They do not include secrets, nor variables that direct git to
// another repository.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME", "SYSTEMROOT", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "TEMP", "TMP",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
}

// fixed are variables that every command gets. GIT_ALLOW_PROTOCOL names a transport that does not exist, so that git does
// not fetch, whatever the repository's settings are.
var fixed = []string{
	"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_PAGER=cat", "GIT_EDITOR=false",
	"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1",
}

func environment(all []string) []string {
	own := slices.DeleteFunc(slices.Clone(all), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.Contains(inherited, name)
	})
	return append(own, fixed...)
}

// setting is a setting of git that takes precedence over those of files.
type setting struct{ key, value string }

// silenced are the settings that every command gets. They keep git from running programs that the repository names.
var silenced = []setting{
	{"core.hooksPath", os.DevNull},
	{"hook.post-checkout.enabled", "false"}, // hooks in settings, in versions that have such a switch
	{"hook.post-index-change.enabled", "false"},
	{"hook.reference-transaction.enabled", "false"},
	{"core.fsmonitor", "false"},
	{"core.pager", "cat"},
	{"protocol.allow", "never"},
	{"submodule.recurse", "false"},
	{"log.showSignature", "false"},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},
}

// command is one call of git.
type command struct {
	dir      string // in which it runs
	args     []string
	settings []setting                 // in addition to silenced
	environ  []string                  // in addition to the usual ones
	reads    bool                      // takes no optional locks
	lock     *Lock                     // git inherits it; nil = none
	each     func(record string) error // gets the records of the output, each ended by NUL; nil = the output is returned
}

// ExitError is a git command that ended with an error.
type ExitError struct {
	Command string // the subcommand
	Code    int    // exit code; -1 for a signal
	Text    string // standard error, shortened
}

// Error implements error.
func (f *ExitError) Error() string {
	text := strings.TrimSpace(strings.TrimPrefix(f.Text, "fatal: "))
	if text == "" {
		text = "exit code " + strconv.Itoa(f.Code)
	}
	return "git " + f.Command + ": " + text
}

// run runs a command and returns its output.
func (g *Git) run(ctx context.Context, c command) (string, error) {
	if err := g.check(ctx); err != nil {
		return "", err
	}
	return g.start(ctx, c)
}

func (g *Git) start(ctx context.Context, c command) (string, error) {
	cmd := exec.CommandContext(ctx, g.program, c.args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.dir, slices.Concat(g.environ, c.environ, configured(append(slices.Clone(silenced), c.settings...))), grace
	if c.reads {
		cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0")
	}
	OwnGroup(cmd)
	c.lock.Inherit(cmd)
	out, text := &bounded{limit: maxOutput}, &bounded{limit: maxErrors, cut: true}
	cmd.Stdout, cmd.Stderr = out, text
	if c.each != nil {
		cmd.Stdout = &records{each: c.each}
	}
	err := cmd.Run()
	if ctx.Err() != nil {
		EndGroup(cmd)
		return "", &messages.Error{Op: "run git", Kind: endOf(ctx), Err: fmt.Errorf("git %s: %w", c.args[0], context.Cause(ctx))}
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return out.String(), &ExitError{Command: subcommand(c.args), Code: exit.ExitCode(), Text: text.String()}
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, exec.ErrDot), errors.Is(err, os.ErrNotExist) && notThere(c.dir):
		return "", &messages.Error{Op: "run git", Kind: messages.Unavailable, Err: err, Hint: "Install git, and see that the daemon's PATH has it."}
	case err != nil:
		return "", fmt.Errorf("git %s: %w", subcommand(c.args), err)
	}
	return out.String(), nil
}

// notThere reports whether the missing file is the program, because the directory exists.
func notThere(dir string) bool {
	_, err := os.Stat(dir)
	return dir == "" || err == nil
}

// endOf returns the kind of an error that the end of a context causes.
func endOf(ctx context.Context) messages.Kind {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return messages.DeadlineExceeded
	}
	return messages.Canceled
}

// subcommand returns the first argument that is no option.
func subcommand(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// configured returns the variables that give git settings.
func configured(all []setting) []string {
	env := []string{"GIT_CONFIG_COUNT=" + strconv.Itoa(len(all))}
	for n, s := range all {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s.value))
	}
	return env
}

// check refuses a git that is too old to read settings from its environment.
func (g *Git) check(ctx context.Context) error {
	if g.usable.Load() {
		return nil
	}
	out, err := g.start(ctx, command{args: []string{"version"}})
	if err != nil {
		return err
	}
	if !recent(out) {
		return messages.Errorf("run git", messages.Unavailable, "%s is too old", strings.TrimSpace(out)).
			WithHint(fmt.Sprintf("Install git %d.%d or newer.", oldestMajor, oldestMinor))
	}
	g.usable.Store(true)
	return nil
}

// recent reports whether the answer of "git version" is new enough.
func recent(text string) bool {
	var major, minor int
	if _, err := fmt.Sscanf(text, "git version %d.%d", &major, &minor); err != nil {
		return false
	}
	return major > oldestMajor || major == oldestMajor && minor >= oldestMinor
}

// bounded keeps the beginning of its input. Beyond the limit it drops the rest, or fails.
type bounded struct {
	bytes.Buffer
	limit int
	cut   bool // drop instead of failing
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.limit - b.Len(); len(p) > room {
		if !b.cut {
			return 0, fmt.Errorf("git wrote more than %d bytes", b.limit)
		}
		b.Buffer.Write(p[:room])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// records splits its input at NUL.
type records struct {
	each func(record string) error
	rest []byte
}

func (r *records) Write(p []byte) (int, error) {
	r.rest = append(r.rest, p...)
	for {
		n := bytes.IndexByte(r.rest, 0)
		if n < 0 {
			break
		}
		if err := r.each(string(r.rest[:n])); err != nil {
			return 0, err
		}
		r.rest = r.rest[n+1:]
	}
	if len(r.rest) > maxErrors {
		return 0, errors.New("git wrote a record without an end")
	}
	return len(p), nil
}
