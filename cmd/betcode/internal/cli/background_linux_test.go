package cli

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"betcode/cmd/betcode/internal/ptytest"
)

// asProgram is a variable that makes the test binary the program.
const asProgram = "BETCODE_TEST_AS_PROGRAM"

func init() {
	if os.Getenv(asProgram) != "" {
		os.Exit(Run(context.Background(), testBuild, os.Args, os.Stdin, os.Stdout, os.Stderr))
	}
}

// TestRunInBackground checks that a run in the background of a shell neither reads the terminal nor stops.
func TestRunInBackground(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no shell with job control")
	}
	d := serveFake(t, &fakeDaemon{talk: turnOf("The answer.")})
	p := ptytest.Open(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("bash", "--norc", "--noprofile", "-c", `set -m; stty tostop; "$0" run hi & wait $!; echo "ended with $?"`, self)
	shell.Env = append(os.Environ(), asProgram+"=1")
	shell.Stdin, shell.Stdout, shell.Stderr = p.Slave, p.Slave, p.Slave
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = shell.Process.Kill(); _ = shell.Wait() }()
	p.Awaits(t, "ended with ")
	if !strings.Contains(p.Shows(), "ended with 0") || !strings.Contains(p.Shows(), "The answer.") {
		t.Errorf("on the screen:\n%s\nstarts %v", p.Shows(), d.starts)
	}
}
