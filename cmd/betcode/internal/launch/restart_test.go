package launch

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"betcode/config"
)

func TestHandOverArguments(t *testing.T) {
	flags := config.Flags{"daemon.max_subprocesses": "9", "notify.exec": "secret", "daemon.log_file": "l", "agent.path": "./claude"}
	args := handOverArguments(config.Daemon{SocketPath: "/s", StateDir: "/state", ConfigDir: "/c", LogLevel: "info", MaxAgents: 5, ClaudePath: "/here/claude"}, RestartOptions{Flags: flags, Patience: 30 * time.Second}, 42)
	if slices.Contains(args, "run") || slices.Contains(args, "--keep-agents") || slices.Contains(args, "--log-level") || slices.Contains(args, "secret") {
		t.Errorf("%q", args)
	}
	line := " " + strings.Join(args, " ") + " "
	for _, want := range []string{" daemon hand-over ", " --socket /s ", " --state-dir /state ", " --pid 42 ", " --max-agents 9 ", " --claude /here/claude ", " --timeout 30s "} {
		if !strings.Contains(line, want) {
			t.Errorf("%q is not in %q", want, line)
		}
	}
}

func TestSucceeded(t *testing.T) {
	next := background{executable: "/new", arguments: []string{"of the command"}, environment: []string{"A=command"}, socket: "/s", log: "/state/daemon.log"}
	old := background{arguments: []string{"daemon", "run", "--max-agents", "9"}, environment: []string{"A=daemon"}, directory: "/d"}
	got := old.succeeded(next)
	if got.executable != "/new" || got.socket != "/s" || got.log != next.log || got.directory != "/d" || got.environment[0] != "A=daemon" {
		t.Errorf("%+v", got)
	}
	want := []string{"daemon", "run", "--max-agents", "9", "--keep-agents"}
	if again := got.succeeded(next); !slices.Equal(got.arguments, want) || !slices.Equal(again.arguments, want) {
		t.Errorf("%q, then %q", got.arguments, again.arguments)
	}
	if old.log = "/l"; old.succeeded(next).log != "/l" {
		t.Error("its log is lost")
	}
}

func TestSeen(t *testing.T) {
	if err := supervised(1, background{}, false); err == nil || !strings.Contains(err.Error(), "container") {
		t.Errorf("the first process: %v", err)
	}
	if _, ok := seen(os.Getpid()); ok {
		t.Error("a test is taken for a daemon")
	}
	if runtime.GOOS != "linux" {
		return
	}
	log, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	other := exec.Command("/bin/sh", "-c", "echo here; read line", "daemon", "run")
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	other.Dir, other.Env, other.Stderr = "/", []string{"A=b"}, log
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = other.Wait() }()
	if _, err := out.Read(make([]byte, 5)); err != nil { // before that, it may not be itself yet
		t.Fatal(err)
	}
	got, ok := seen(other.Process.Pid)
	if !ok || got.directory != "/" || got.log != log.Name() || !slices.Contains(got.environment, "A=b") || !slices.Equal(got.arguments[2:], []string{"daemon", "run"}) {
		t.Errorf("%+v, %v", got, ok)
	}
}
