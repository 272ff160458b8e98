package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// callScenarios attack the border of a fence with system calls that a shell does not make.
var callScenarios = []scenario{
	{name: "fence: system calls across the border", settings: `{"agent": {"fence": "project"}}`, before: outside, attack: fencedCalls},
}

// probing is what a probe is told; tests/attack/probe has the same members.
type probing struct {
	Out          string
	Targets      map[string]int
	Victim       int
	Away, Inside string
	Fifo         string
}

// victim starts a process outside of every fence that writes its signals into a file.
func (s *siege) victim(file string) int {
	command := exec.CommandContext(s, s.built.probe, "victim", file)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.must(command.Start(), "start a victim")
	s.later(func() { _ = command.Process.Kill(); _ = command.Wait() })
	s.until("the victim is ready", func() bool { return s.contains(file, "ready") })
	return command.Process.Pid
}

// fencedCalls has a fenced agent run a probe, and looks at what it reached.
func fencedCalls(s *siege) {
	if !s.canFence() {
		s.held("the kernel cannot fence, and no agent is started", true, "")
		return
	}
	other, id := session(), session()
	s.turn(s.converse("b", other), "echo:hello")
	c := s.converse("a", id)
	s.turn(c, "echo:hello")
	launcher, err := s.launcher(id)
	s.must(err, "find the launcher")
	away, signals := filepath.Join(s.world.Root, "outside"), filepath.Join(s.world.Root, "signals")
	victim := s.victim(signals)
	p := probing{
		Out: s.project("crossed"), Away: away, Inside: s.project("inside"), Victim: victim,
		Fifo: filepath.Join(s.world.StateDir(), "runs", other, "1", "stdin"),
		Targets: map[string]int{
			"the daemon": s.daemon.PID(), "its launcher": launcher, "a process outside": victim,
			"another agent": int(s.shown(other).GetRun().GetPid()),
		},
	}
	s.must(os.MkdirAll(p.Inside, 0o700), "make a directory")
	s.plan("plan.json", p)
	s.runTurn(c, "run:"+s.built.probe+" cross plan.json >probe.out 2>&1")
	raw, _ := os.ReadFile(p.Out)
	crossed, finished := strings.CutSuffix(string(raw), "done\n")
	said, _ := os.ReadFile(s.project("probe.out"))
	s.held("the probe comes to its end", finished, "%s", said)
	s.held("no system call leads out", crossed == "", "%s", crossed)
	s.held("the process outside gets no signal", !s.contains(signals, "SIG"), "it gets one")
	names, err := os.ReadDir(away)
	s.held("what is outside is as it was", err == nil && len(names) == 1 && s.contains(filepath.Join(away, "file"), "old"), "%v, %v", names, err)

	// Without a fence the same probe gets out: what it tries, it tries rightly.
	p.Out, p.Inside, p.Away = filepath.Join(s.world.Root, "free"), filepath.Join(s.world.Root, "in"), filepath.Join(s.world.Root, "out")
	s.write(filepath.Join(p.Inside, "x"), "")
	s.write(filepath.Join(p.Away, "file"), "old")
	s.plan("free.json", p)
	printed, err := exec.CommandContext(s, s.built.probe, "cross", s.project("free.json")).CombinedOutput()
	s.must(err, "run the probe outside: "+string(printed))
	raw, _ = os.ReadFile(p.Out)
	for _, way := range []string{
		"kill: the daemon", "tgkill: its launcher", "kill of a process group: another agent", "pidfd_send_signal: a process outside",
		"rt_sigqueueinfo: a process outside", "prlimit, so that the kernel kills: the daemon", "pidfd_getfd: a process outside", "process_vm_writev: a process outside",
		"memory in /proc: a process outside", "another agent's input: outside", "O_TMPFILE outside: outside", "O_TMPFILE inside, linked outside: outside",
		"a link by a descriptor: outside", "a descriptor that is opened again: outside", "a file opened for reading and emptied: outside",
		"a file below a descriptor of its directory: outside",
	} {
		if !strings.Contains("\n"+string(raw), "\n"+way+"\n") {
			s.fail("the probe cannot do it outside either: %s; it did\n%s", way, raw)
		}
	}
	s.held("outside, a descriptor's signals reach a process", s.becomesQuickly(func() bool { return s.contains(signals, "SIGUSR1") }), "they do not")
}

// plan writes a probe's plan into the project.
func (s *siege) plan(name string, p probing) {
	raw, err := json.Marshal(p)
	s.must(err, "make a plan")
	s.write(s.project(name), string(raw))
}
