package fence

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"betcode/tests/attack/siege"
)

// callScenarios attack the border of a fence with system calls that a shell does not make.
var callScenarios = []siege.Scenario{
	{Name: "fence: system calls across the border", Settings: `{"agent": {"fence": "project"}}`, Before: outside, Attack: fencedCalls},
}

// probing is the input of a probe; tests/attack/probe has the same members.
type probing struct {
	Out          string
	Targets      map[string]int
	Victim       int
	Away, Inside string
	Fifo         string
}

// victim starts a process outside of every fence that writes its signals into a file.
func victim(s *siege.Siege, file string) int {
	command := exec.CommandContext(s, s.Built.Probe, "victim", file)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.Must(command.Start(), "start a victim")
	s.Later(func() { _ = command.Process.Kill(); _ = command.Wait() })
	s.Until("the victim is ready", func() bool { return s.Contains(file, "ready") })
	return command.Process.Pid
}

// fencedCalls runs a probe in a fenced agent, and checks which targets it reached.
func fencedCalls(s *siege.Siege) {
	if !s.CanFence() {
		s.Held("the kernel cannot fence, and no agent is started", true, "")
		return
	}
	other, id := siege.NewSession(), siege.NewSession()
	s.Turn(s.Converse("b", other), "echo:hello")
	c := s.Converse("a", id)
	s.Turn(c, "echo:hello")
	launcher, err := s.Launcher(id)
	s.Must(err, "find the launcher")
	away, signals := filepath.Join(s.World.Root, "outside"), filepath.Join(s.World.Root, "signals")
	victim := victim(s, signals)
	p := probing{
		Out: s.Project("crossed"), Away: away, Inside: s.Project("inside"), Victim: victim,
		Fifo: filepath.Join(s.World.StateDir(), "runs", other, "1", "stdin"),
		Targets: map[string]int{
			"the daemon": s.Daemon.PID(), "its launcher": launcher, "a process outside": victim,
			"another agent": int(s.Shown(other).GetRun().GetPid()),
		},
	}
	s.Must(os.MkdirAll(p.Inside, 0o700), "make a directory")
	plan(s, "plan.json", p)
	s.RunTurn(c, "run:"+s.Built.Probe+" cross plan.json >probe.out 2>&1")
	raw, _ := os.ReadFile(p.Out)
	crossed, finished := strings.CutSuffix(string(raw), "done\n")
	said, _ := os.ReadFile(s.Project("probe.out"))
	s.Held("the probe comes to its end", finished, "%s", said)
	s.Held("no system call leads out", crossed == "", "%s", crossed)
	s.Held("the process outside gets no signal", !s.Contains(signals, "SIG"), "it gets one")
	names, err := os.ReadDir(away)
	s.Held("what is outside is as it was", err == nil && len(names) == 1 && s.Contains(filepath.Join(away, "file"), "old"), "%v, %v", names, err)

	// Without a fence the same probe succeeds, which shows that its attempts are correct.
	p.Out, p.Inside, p.Away = filepath.Join(s.World.Root, "free"), filepath.Join(s.World.Root, "in"), filepath.Join(s.World.Root, "out")
	s.Write(filepath.Join(p.Inside, "x"), "")
	s.Write(filepath.Join(p.Away, "file"), "old")
	plan(s, "free.json", p)
	printed, err := exec.CommandContext(s, s.Built.Probe, "cross", s.Project("free.json")).CombinedOutput()
	s.Must(err, "run the probe outside: "+string(printed))
	raw, _ = os.ReadFile(p.Out)
	for _, way := range []string{
		"kill: the daemon", "tgkill: its launcher", "kill of a process group: another agent", "pidfd_send_signal: a process outside",
		"rt_sigqueueinfo: a process outside", "prlimit, so that the kernel kills: the daemon", "pidfd_getfd: a process outside", "process_vm_writev: a process outside",
		"memory in /proc: a process outside", "another agent's input: outside", "O_TMPFILE outside: outside", "O_TMPFILE inside, linked outside: outside",
		"a link by a descriptor: outside", "a descriptor that is opened again: outside", "a file opened for reading and emptied: outside",
		"a file below a descriptor of its directory: outside",
	} {
		if !strings.Contains("\n"+string(raw), "\n"+way+"\n") {
			s.Fail("the probe cannot do it outside either: %s; it did\n%s", way, raw)
		}
	}
	s.Held("outside, a descriptor's signals reach a process", s.Becomes(func() bool { return s.Contains(signals, "SIGUSR1") }), "they do not")
}

// plan writes a probe's plan into the project.
func plan(s *siege.Siege, name string, p probing) {
	raw, err := json.Marshal(p)
	s.Must(err, "make a plan")
	s.Write(s.Project(name), string(raw))
}
