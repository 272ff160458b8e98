package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"betcode/actors/internal/launch"
)

// member is a process of a made up table.
type member struct {
	parent       int
	start        uint64
	argv         string // words separated by blanks
	environ      []string
	unreadable   bool // its environment may not be read
	garbled      bool
	cgroup       string
	parenthesise string // its name
	flags        uint
}

func tableOf(t *testing.T, members map[int]member) processTable {
	t.Helper()
	root := t.TempDir()
	for pid, m := range members {
		dir := filepath.Join(root, fmt.Sprint(pid))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		stat := fmt.Sprintf("%d (%s) S %d%s %d%s %d 0 0\n", pid, m.parenthesise, m.parent, strings.Repeat(" 1", 4), m.flags, strings.Repeat(" 1", 12), m.start)
		if m.garbled {
			stat = stat[:10]
		}
		for name, content := range map[string]string{
			"stat":    stat,
			"cmdline": strings.ReplaceAll(m.argv, " ", "\x00") + "\x00",
			"environ": strings.Join(m.environ, "\x00") + "\x00",
			"cgroup":  "1:name=systemd:/x\n0::" + m.cgroup + "\n",
		} {
			if name == "environ" && m.unreadable {
				content = "" // root reads everything; empty is what a kernel thread has
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return processTable(root)
}

func TestBelowAgentTable(t *testing.T) {
	token := []string{"HOME=/h", launch.TokenVariable + "=abc"}
	for name, c := range map[string]struct {
		table map[int]member
		below bool
		fails bool
	}{
		"a shell of a person":     {map[int]member{9: {parent: 5, argv: "betcode"}, 5: {parent: 1, argv: "sh"}, 1: {}}, false, false},
		"the caller has a token":  {map[int]member{9: {parent: 1, environ: token}, 1: {}}, true, false},
		"it scrubbed its own":     {map[int]member{9: {parent: 5}, 5: {parent: 4, environ: token}, 4: {parent: 1}, 1: {}}, true, false},
		"orphaned to a launcher":  {map[int]member{9: {parent: 4}, 4: {parent: 1, argv: launch.Name + " 1 /r /d /p p"}, 1: {}}, true, false},
		"a launcher by its mark":  {map[int]member{9: {parent: 4}, 4: {parent: 1, environ: []string{launch.Marker + "=1"}}, 1: {}}, true, false},
		"an empty token is one":   {map[int]member{9: {parent: 1, environ: []string{launch.TokenVariable + "="}}, 1: {}}, true, false},
		"an orphan in a group":    {map[int]member{9: {parent: 1, cgroup: "/user.slice/betcode-0123456789ab/0123456789abcdef"}, 1: {}}, true, false},
		"in a group below":        {map[int]member{9: {parent: 1, cgroup: "/betcode-0123456789ab/0123456789abcdef/x"}, 1: {}}, true, false},
		"in a service's group":    {map[int]member{9: {parent: 1, cgroup: "/system.slice/betcode-0123456789ab"}, 1: {}}, false, false},
		"in a similar group":      {map[int]member{9: {parent: 1, cgroup: "/betcode-0123456789ab/0123456789abcdefx"}, 1: {}}, false, false},
		"a similar variable":      {map[int]member{9: {parent: 1, environ: []string{"X_" + launch.TokenVariable + "=abc"}}, 1: {}}, false, false},
		"a similar name":          {map[int]member{9: {parent: 1, argv: launch.Name + "er x"}, 1: {}}, false, false},
		"through another user":    {map[int]member{9: {parent: 6}, 6: {parent: 5, unreadable: true}, 5: {parent: 1, environ: token}, 1: {}}, true, false},
		"unreadable, and no more": {map[int]member{9: {parent: 6}, 6: {parent: 1, unreadable: true}, 1: {}}, false, false},
		"a name that deceives":    {map[int]member{9: {parent: 5, parenthesise: "x) S 1 1"}, 5: {parent: 1, environ: token}, 1: {}}, true, false},
		"it has ended":            {map[int]member{1: {}}, false, true},
		"an ancestor is hidden":   {map[int]member{9: {parent: 6}, 1: {}}, false, true},
		"a thread of the kernel":  {map[int]member{9: {parent: 2, flags: 0x04208060}, 2: {flags: 0x00208040}}, false, true},
		"garbled":                 {map[int]member{9: {parent: 6}, 6: {parent: 1, garbled: true}, 1: {}}, false, true},
		"a circle":                {map[int]member{9: {parent: 6}, 6: {parent: 9}}, false, true},
		"the first process":       {map[int]member{9: {parent: 0}}, false, false},
	} {
		below, err := tableOf(t, c.table).belowAgent(9)
		if below != c.below || (err != nil) != c.fails {
			t.Errorf("%s: %v, %v", name, below, err)
		}
	}
	for _, pid := range []int{0, -1} {
		if _, err := BelowAgent(pid); err == nil {
			t.Errorf("process %d was found", pid)
		}
	}
}

// Real processes: this one, and an agent's descendants started in every way we know of.
func TestBelowAgent(t *testing.T) {
	if below, err := BelowAgent(os.Getpid()); err != nil || below {
		t.Skipf("this test runs below an agent, or its ancestors are hidden: %v", err)
	}
	ended := exec.Command("/bin/true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	if below, err := BelowAgent(ended.Process.Pid); err == nil {
		t.Errorf("a process that has ended: %v", below)
	}

	r := started(t, "agent")
	pids := map[string]int{"the agent": r.p.Identity().PID, "its launcher": r.p.Launcher().PID}
	for name, command := range map[string]string{
		"a child":               "exec sleep 1000",
		"scrubbed":              "exec env -i sleep 1000",
		"orphaned":              "sleep 1000 & exit",
		"orphaned and scrubbed": "(env -i setsid sleep 1000 &) ; exit",
	} {
		file := filepath.Join(t.TempDir(), "pid")
		r.send("child " + strings.ReplaceAll(command, "sleep 1000", `sh -c 'echo $$ >`+file+`.new; mv `+file+`.new `+file+`; exec sleep 1000'`))
		r.answer()
		eventually(t, name+" has started", func() bool { _, err := os.Stat(file); return err == nil })
		words, _ := os.ReadFile(file)
		pid := 0
		fmt.Sscan(string(words), &pid)
		pids[name] = pid
		t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) }) // scrubbed and orphaned, nothing else finds it
	}
	for name, pid := range pids {
		if below, err := BelowAgent(pid); err != nil || !below {
			t.Errorf("%s: %v, %v", name, below, err)
		}
	}
}
