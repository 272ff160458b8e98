package cli

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// client is the program while it runs beside a script, with a pipe as its standard input.
type client struct {
	cmd   *exec.Cmd
	input io.WriteCloser
}

// clients are those of one script.
type clients struct {
	program string
	running map[string]*client
}

// clientsKey is the key of a script's clients.
type clientsKey struct{}

// environment are the variables of a script that its clients have.
var environment = []string{"HOME", "PATH", "XDG_RUNTIME_DIR", "BETCODE_SOCKET", "BETCODE_CLAUDE", "LANG", "NO_COLOR", "USER"}

// setUpClients prepares a script for clients. Those that it leaves running are killed at its end.
func setUpClients(env *testscript.Env, program string) {
	all := clients{program, map[string]*client{}}
	env.Values[clientsKey{}] = all
	env.Defer(func() {
		for _, c := range all.running {
			_ = c.cmd.Process.Kill() // it may have ended
			_ = c.cmd.Wait()
		}
	})
}

// start runs the program until 'end' or 'interrupt'. Its output goes to NAME.out.
func start(ts *testscript.TestScript, neg bool, args []string) {
	all := ts.Value(clientsKey{}).(clients)
	if neg || len(args) < 2 || all.running[args[0]] != nil {
		ts.Fatalf("usage: start NAME ARG...; NAME is one that does not run")
	}
	out, err := os.Create(ts.MkAbs(args[0] + ".out"))
	ts.Check(err)
	defer out.Close()
	c := &client{cmd: exec.Command(all.program, args[1:]...)}
	c.cmd.Dir, c.cmd.Stdout, c.cmd.Stderr = ts.MkAbs("."), out, out
	c.cmd.Env = environ(ts)
	c.input, err = c.cmd.StdinPipe()
	ts.Check(err)
	ts.Check(c.cmd.Start())
	all.running[args[0]] = c
}

// environ returns the variables of a script for its clients.
func environ(ts *testscript.TestScript) (all []string) {
	for _, name := range environment {
		all = append(all, name+"="+ts.Getenv(name))
	}
	return all
}

// say writes a line to the standard input of a client.
func say(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: say NAME WORD...")
	}
	_, err := io.WriteString(running(ts, args[0]).input, strings.Join(args[1:], " ")+"\n")
	ts.Check(err)
}

// end closes the standard input of a client and compares the exit code with which it ends.
func end(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: end CODE NAME")
	}
	c := running(ts, args[1])
	ts.Check(c.input.Close())
	c.wait(ts, args)
}

// interrupt presses Ctrl-C and compares the exit code with which a client ends.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: interrupt CODE NAME")
	}
	c := running(ts, args[1])
	ts.Check(c.cmd.Process.Signal(syscall.SIGINT))
	c.wait(ts, args)
}

// press presses Ctrl-C at a client that stays attached.
func press(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: press NAME")
	}
	ts.Check(running(ts, args[0]).cmd.Process.Signal(syscall.SIGINT))
}

func running(ts *testscript.TestScript, name string) *client {
	c := ts.Value(clientsKey{}).(clients).running[name]
	if c == nil {
		ts.Fatalf("%s was not started", name)
	}
	return c
}

// wait waits for the end of a client; args are its exit code and its name.
func (c *client) wait(ts *testscript.TestScript, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	delete(ts.Value(clientsKey{}).(clients).running, args[1])
	if got := exitCode(ts, c.cmd.Wait()); got != want {
		ts.Fatalf("%s: exit %d, want %d\n%s", args[1], got, want, ts.ReadFile(args[1]+".out"))
	}
}
