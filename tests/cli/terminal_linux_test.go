package cli

import (
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"betcode/tests/kit"
)

// terminal runs the program on a terminal, compares its exit code, and writes its output to the
// file 'screen'.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: terminal N ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	t, err := kit.OpenTerminal()
	ts.Check(err)
	cmd := exec.Command(ts.Value(clientsKey{}).(clients).program, args[1:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), environ(ts)
	err = t.Start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	got := exitCode(ts, err)
	ts.Check(t.Close())
	screen := strings.ReplaceAll(t.Screen(), "\r\n", "\n")
	ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(screen), 0o600))
	if got != want {
		ts.Fatalf("betcode %s on a terminal: exit %d, want %d\n%s", strings.Join(args[1:], " "), got, want, screen)
	}
}
