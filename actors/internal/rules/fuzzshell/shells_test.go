//go:build unix

package fuzzshell

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// perCommand bounds one command. One that takes longer is killed, which decides
// nothing.
const perCommand = 3 * time.Second

// stubs are the programs that a command finds.
var stubs = []string{"git", "ls", "rm", "curl", "touch", "cat", "tee", "x", "y", "a", "find", "xargs", "env", "sed", "awk", "python3", "sh", "bash", "r", "m", "in", "do"}

// running are stubs that do what the programs do as far as they run others.
var running = map[string]string{
	"sh": `exec /bin/sh "$@"`, "bash": `exec /bin/sh "$@"`, "env": `while case $1 in *=*) true;; *) false;; esac; do shift; done; "$@"`,
	"xargs": `set -f; "$@" $(while read -r l; do echo "$l"; done)`, "cat": `while IFS= read -r l; do printf '%s\n' "$l"; done`,
}

// shells are those installed, bash among them.
func shells(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, name := range []string{"bash", "dash", "zsh", "mksh"} {
		if file, err := exec.LookPath(name); err == nil {
			found = append(found, file)
		} else if name == "bash" {
			t.Skip("bash is not installed")
		}
	}
	return found
}

// bench is a directory with stubs, in which commands are run one after the other.
type bench struct {
	root, bin, work, log string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	root := t.TempDir()
	b := &bench{root: root, bin: filepath.Join(root, "bin"), work: filepath.Join(root, "work"), log: filepath.Join(root, "log")}
	if err := os.MkdirAll(filepath.Join(b.bin, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range stubs {
		text := "#!/bin/sh\necho " + name + " >>" + b.log + "\n" + running[name] + "\n"
		if err := os.WriteFile(filepath.Join(b.bin, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// What a changed PATH finds.
	if err := os.WriteFile(filepath.Join(b.bin, "d", "git"), []byte("#!/bin/sh\necho rm >>"+b.log+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return b
}

// spelled is a command with the directory of the stubs in it.
func (b *bench) spelled(command string) string { return strings.ReplaceAll(command, bin, b.bin) }

// harmless reports whether a command may be run: it names no file outside the bench.
func (b *bench) harmless(command string) bool {
	rest := strings.NewReplacer(bin+"/", "", " /dev/null\n", "", " ~/", " ", "./", "").Replace(command + "\n")
	for _, end := range []string{" ", "\n", ";", "|", "&", ")", "}"} {
		rest = strings.ReplaceAll(rest, "/dev/null"+end, end)
	}
	return !strings.Contains(rest, "/") && !strings.Contains(rest, "kill") && !strings.Contains(rest, "\x00")
}

// run runs a command with a shell and returns the stubs that have run.
func (b *bench) run(shell, command string) ([]string, error) {
	if err := os.RemoveAll(b.work); err != nil {
		return nil, fmt.Errorf("empty the directory: %w", err)
	}
	if err := os.MkdirAll(b.work, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory: %w", err)
	}
	if err := os.WriteFile(filepath.Join(b.work, "x"), []byte("rm x\n"), 0o600); err != nil {
		return nil, fmt.Errorf("make a file: %w", err)
	}
	if err := os.WriteFile(b.log, nil, 0o600); err != nil {
		return nil, fmt.Errorf("empty the log: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), perCommand)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-c", "ulimit -t 2; ulimit -f 64; eval \"$1\"\nwait", shell, b.spelled(command))
	cmd.Dir, cmd.Env = b.work, []string{"PATH=" + b.bin, "HOME=" + b.bin, "LC_ALL=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = perCommand
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !isExit(err, &exit) && ctx.Err() == nil {
		return nil, fmt.Errorf("run %s: %w", shell, err)
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // its processes in the background
	said, err := os.ReadFile(b.log)
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	return strings.Fields(string(bytes.ToValidUTF8(said, nil))), nil
}
