package cgroup

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// tree is a directory that imitates the kernel's tree of groups.
type tree struct {
	*testing.T
	root string
}

func newTree(t *testing.T) tree { t.Helper(); return tree{t, t.TempDir()} }

// group makes a group with controllers, what its children have, and processes.
func (t tree) group(path, controllers, children, procs string) string {
	t.Helper()
	dir := filepath.Join(t.root, path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cgroup.controllers": controllers, "cgroup.subtree_control": children, "cgroup.procs": procs, "memory.max": "max", "memory.oom.group": "0",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (t tree) has(group, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(group, file))
	if err != nil {
		return "no file"
	}
	return strings.TrimSpace(string(text))
}

// mover moves processes as the kernel does: they leave their group. As many others start in the group meanwhile.
func (t tree) mover(top string, others ...int) Mover {
	return Mover{
		Mine: func(pid int) bool { return pid < 100 },
		Move: func(group string, pid int) error {
			pids, err := processes(top)
			if err != nil {
				return err
			}
			var left []string
			for _, p := range pids {
				if p != pid {
					left = append(left, strconv.Itoa(p))
				}
			}
			if len(others) > 0 {
				left = append(left, strconv.Itoa(others[0]))
				others = others[1:]
			}
			if err := os.WriteFile(filepath.Join(top, "cgroup.procs"), []byte(strings.Join(left, "\n")), 0o644); err != nil {
				return err
			}
			file, err := os.OpenFile(filepath.Join(group, "cgroup.procs"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
			if err != nil {
				return err
			}
			_, err = file.WriteString(strconv.Itoa(pid) + " ")
			return errors.Join(err, file.Close())
		},
	}
}

func TestTop(t *testing.T) {
	for own, want := range map[string]string{"/c/betcode.service": "/c/betcode.service", "/c/betcode.service/daemon": "/c/betcode.service", "/c": "/c"} {
		if got := Top(own); got != want {
			t.Errorf("%s: %s", own, got)
		}
	}
}

// The daemon moves itself and the processes that it has started into the leaf, and no others.
func TestEnable(t *testing.T) {
	for name, c := range map[string]struct {
		path, controllers, children, procs string
		later                              []int
		moved                              string
		fails, mend                        string
	}{
		"own group":          {path: "box", controllers: "cpu memory pids", procs: "7\n8", moved: "7 8"},
		"others start":       {path: "box", controllers: "memory", procs: "7", later: []int{9}, moved: "7 9"},
		"enabled before":     {path: "box", controllers: "memory", children: "memory", procs: "", moved: "no file"},
		"empty":              {path: "betcode.service", controllers: "memory", moved: "no file"},
		"not delegated":      {path: "box", controllers: "cpu", procs: "7", moved: "no file", fails: "does not have the controller memory", mend: "systemd-run"},
		"service":            {path: "betcode.service", controllers: "cpu", procs: "7", moved: "no file", fails: "does not have", mend: "DelegateSubgroup=daemon"},
		"in the service":     {path: "betcode.service", controllers: "memory", procs: "7", moved: "no file", fails: "systemd has started", mend: "DelegateSubgroup=daemon"},
		"somebody else":      {path: "box", controllers: "memory", procs: "7\n100", moved: "no file", fails: "process 100, which is not the daemon's", mend: "systemd-run"},
		"other namespace":    {path: "box", controllers: "memory", procs: "0", moved: "no file", fails: "outside the namespace", mend: "systemd-run"},
		"never ends":         {path: "box", controllers: "memory", procs: "7", later: []int{8, 9, 10, 11, 12, 13}, moved: "7 8 9 10 11", fails: "go on starting", mend: "systemd-run"},
		"somebody meanwhile": {path: "box", controllers: "memory", procs: "7", later: []int{100}, moved: "7", fails: "process 100", mend: "systemd-run"},
	} {
		t.Run(name, func(t *testing.T) {
			tree := newTree(t)
			top := tree.group(c.path, c.controllers, c.children, c.procs)
			base := tree.group(c.path+"/betcode-0", "", "", "")
			err := Enable(top, base, tree.mover(top, c.later...))
			if got := tree.has(filepath.Join(top, Leaf), "cgroup.procs"); got != c.moved {
				t.Errorf("moved %q, want %q", got, c.moved)
			}
			if c.fails != "" {
				var unavailable *UnavailableError
				if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), c.fails) || !strings.Contains(unavailable.Mend, c.mend) {
					t.Errorf("%v: %+v", err, unavailable)
				}
				if got := tree.has(base, "cgroup.subtree_control"); got != "" {
					t.Errorf("enabled: %q", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, group := range []string{top, base} {
				if got := tree.has(group, "cgroup.subtree_control"); !strings.Contains(got, "memory") {
					t.Errorf("%s: %q", group, got)
				}
			}
			if err := os.Chmod(filepath.Join(base, "cgroup.subtree_control"), 0o400); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(top, "cgroup.subtree_control"), []byte("cpu memory"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := Enable(top, base, Mover{}); err != nil && os.Getuid() != 0 {
				t.Errorf("once more: %v", err)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	tree := newTree(t)
	agent := tree.group("box/agent", "memory", "", "")
	if err := Limit(agent, 1<<30); err != nil || tree.has(agent, "memory.max") != "1073741824" || tree.has(agent, "memory.oom.group") != "1" {
		t.Errorf("%v: %s, %s", err, tree.has(agent, "memory.max"), tree.has(agent, "memory.oom.group"))
	}
	if err := Limit(filepath.Join(tree.root, "box"), 1); err == nil {
		t.Error("a group without the controller is limited")
	}
	for events, want := range map[string]bool{
		"": false, "low 0\nmax 12\noom 1\noom_kill 0\n": false, "oom 1\noom_kill 3\noom_group_kill 1\n": true, "oom_kill x\n": false,
	} {
		if err := os.WriteFile(filepath.Join(agent, "memory.events"), []byte(events), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := Exceeded(agent); got != want {
			t.Errorf("%q: %v", events, got)
		}
	}
	if Exceeded(tree.root) {
		t.Error("a group without the controller has exceeded its limit")
	}
}
