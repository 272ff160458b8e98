package cli

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"betcode/tests/kit"
)

var update = flag.Bool("update", false, "accept changes of what scripts compare")

// patience bounds every wait for a condition.
const patience = 2 * time.Minute

func TestScripts(t *testing.T) {
	programs := t.TempDir()
	for name, at := range map[string]string{"betcode/cmd/betcode": "betcode", "betcode/tests/fakeagent": "claude"} {
		if err := kit.Build(t.Context(), filepath.Join(programs, at), name); err != nil {
			t.Fatal(err)
		}
	}
	parent := os.TempDir()
	if len(parent) > 40 {
		parent = "/tmp" // a socket's path has at most 107 bytes
	}
	root, err := os.MkdirTemp(parent, "bcs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	testscript.Run(t, testscript.Params{
		Dir: "testdata", UpdateScripts: *update, WorkdirRoot: root, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error { return setUp(env, programs) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": wantCode, "until": until, "keep": keep, "await": await, "normal": normal,
			"forms": forms, "start": start, "say": say, "end": end, "interrupt": interrupt, "press": press, "terminal": terminal,
		},
	})
}

// setUp gives a script its places. Its daemon, if it starts one, is stopped at its end with its agents.
func setUp(env *testscript.Env, programs string) error {
	for _, dir := range []string{"run", "home", "p"} {
		if err := os.MkdirAll(filepath.Join(env.WorkDir, dir), 0o700); err != nil {
			return err
		}
	}
	env.Cd = filepath.Join(env.WorkDir, "p")
	for name, value := range map[string]string{
		"HOME": filepath.Join(env.WorkDir, "home"), "PATH": programs + ":/usr/bin:/bin", "BETCODE": filepath.Join(programs, "betcode"), "XDG_RUNTIME_DIR": filepath.Join(env.WorkDir, "run"),
		"BETCODE_SOCKET": filepath.Join(env.WorkDir, "run", "s"), "BETCODE_CLAUDE": filepath.Join(programs, "claude"), "LANG": "C.UTF-8", "NO_COLOR": "1",
	} {
		env.Setenv(name, value)
	}
	setUpClients(env, filepath.Join(programs, "betcode"))
	vars := env.Vars
	env.Defer(func() {
		stop := exec.Command(filepath.Join(programs, "betcode"), "daemon", "stop")
		stop.Env = vars
		_ = stop.Run() // a script that starts no daemon has none to stop
	})
	return nil
}

// wantCode runs the program and compares its exit code.
func wantCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitCode(ts, ts.Exec("betcode", args[1:]...)); got != want {
		ts.Fatalf("betcode %s: exit %d, want %d\n%s%s", strings.Join(args[1:], " "), got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

func exitCode(ts *testscript.TestScript, err error) int {
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ended):
		return ended.ExitCode()
	}
	ts.Fatalf("%v", err)
	return -1
}

// until runs the program until its standard output has a text.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until TEXT ARG...")
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		exitCode(ts, ts.Exec("betcode", args[1:]...))
		if strings.Contains(ts.ReadFile("stdout"), args[0]) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("betcode %s never prints %q\n%s%s", strings.Join(args[1:], " "), args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
		}
	}
}

// keep runs the program and keeps what it prints in a variable of the script.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: keep VARIABLE ARG...")
	}
	ts.Check(ts.Exec("betcode", args[1:]...))
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// await waits until a file that another program writes matches a pattern.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE PATTERN")
	}
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if pattern.Match(text) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s never has %q: %v\n%s", args[0], args[1], err, text)
		}
	}
}

// changing are parts of the output that differ from run to run.
var changing = []struct {
	pattern *regexp.Regexp
	stands  string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<id>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "<time>"},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b`), "<commit>"},
	{regexp.MustCompile(`,\n *"work_ms": \d+`), ""}, // it is missing when it is 0
	{regexp.MustCompile(`("pid": )\d+`), `$1<pid>`},
	{regexp.MustCompile(`("(?:bytes|work_ms|start_time|disk_bytes)": )\d+`), `$1<number>`},
}

// normal writes standard output of the last command to a file, with what changes replaced.
func normal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: normal FILE")
	}
	text := strings.ReplaceAll(ts.ReadFile("stdout"), ts.Getenv("WORK"), "<work>")
	for _, c := range changing {
		text = c.pattern.ReplaceAllString(text, c.stands)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// TestTexts: a script compares the exit codes of the table, and no others.
func TestTexts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	pattern := regexp.MustCompile(`(?m)^(?:\[linux\] terminal|code|end|interrupt) (\d+) `)
	known := map[string]bool{}
	for _, code := range []int{0, 1, 2, 3, 4, 5, 6, 7, 130} {
		known[fmt.Sprint(code)] = true
	}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range pattern.FindAllStringSubmatch(string(text), -1) {
			if !known[match[1]] {
				t.Errorf("%s: %s is no exit code", script, match[0])
			}
		}
	}
}
