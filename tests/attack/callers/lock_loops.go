package callers

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// client starts a command that is killed at the end of the scenario, with a pipe as its input.
func client(s *siege.Siege, args ...string) (*exec.Cmd, io.WriteCloser) {
	command := exec.CommandContext(s, s.World.Binary, args...)
	command.Env, command.Dir = s.World.Environ(), s.World.Project
	input, err := command.StdinPipe()
	s.Must(err, "make a pipe")
	s.Must(command.Start(), "start "+args[0])
	s.Later(func() {
		_ = command.Process.Kill() // it may have ended
		_ = command.Wait()
	})
	return command, input
}

// attackLockLoops has clients take the lock, and kills them wherever they are.
func attackLockLoops(s *siege.Siege) {
	id := siege.NewSession()
	watcher := s.ConverseWith("watcher", &pb.StartConversation{SessionId: id, WorkingDirectory: s.World.Project, Observer: true})
	holderOf(s, watcher, id)
	open := func() int {
		all, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.Daemon.PID()))
		s.Must(err, "look at the daemon's files")
		return len(all)
	}
	files, memory := open(), s.PeakMemory()
	var clients sync.WaitGroup
	for n := range uint64(4) {
		clients.Go(func() {
			chance := rand.New(rand.NewPCG(n, 1)) //nolint:gosec // the same attack each time
			for range 25 {
				args := []string{"run", "-r", id, "--take-lock", "echo:killed"}
				if chance.IntN(3) == 0 {
					args = []string{"attach", "--take-lock", id}
				}
				command := exec.CommandContext(s, s.World.Binary, args...)
				command.Env, command.Dir = s.World.Environ(), s.World.Project
				if command.Start() == nil {
					time.Sleep(time.Duration(chance.IntN(300)) * time.Millisecond) // wherever it is then
					_ = command.Process.Kill()
					_ = command.Wait()
				}
			}
		})
	}
	clients.Wait()
	begun := time.Now()
	printed, code := s.Cli("run", "-r", id, "--take-lock", "echo:afterwards")
	s.Held("the lock is given after 100 killed clients", code == 0 && strings.Contains(printed, "afterwards") && time.Since(begun) < time.Minute, "exit %d after %v: %s", code, time.Since(begun), printed)
	s.Held("the killed clients are gone", s.Becomes(func() bool {
		return len(s.Shown(id).GetAttached()) == 1 && open() < files+10
	}), "%v, %d files of %d", s.Shown(id).GetAttached(), open(), files)
	grown := s.PeakMemory() - memory
	s.Held("they leave no memory", grown < 100<<20, "%d MiB", grown>>20)
}

// attackStoppedHolder stops the holder of the lock, and clients that only watch, in front of a flood of output.
func attackStoppedHolder(s *siege.Siege) {
	id := siege.NewSession()
	watcher := s.ConverseWith("watcher", &pb.StartConversation{SessionId: id, WorkingDirectory: s.World.Project, Observer: true})
	holderOf(s, watcher, id)
	holder, input := client(s, "attach", id)
	lines := func(text string) {
		_, err := io.WriteString(input, text+"\n")
		s.Must(err, "type")
	}
	lines("echo:first")
	s.Wait(watcher, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "first") })
	s.Wait(watcher, 0, kit.IsIdle)
	held, _ := s.Wait(watcher, 0, func(e kit.Event) bool {
		return strings.Contains(e.GetLock().GetHolder(), fmt.Sprintf("#%d.", holder.Process.Pid))
	})
	for range 20 {
		watching, _ := client(s, "attach", "--read-only", id)
		s.Held("one more watches", s.Becomes(func() bool {
			return strings.Contains(fmt.Sprint(s.Shown(id).GetAttached()), fmt.Sprintf("#%d", watching.Process.Pid))
		}), "%v", s.Shown(id).GetAttached())
		freeze(s, watching)
	}
	memory := s.PeakMemory()
	freeze(s, holder)
	lines("echo:typed while it was stopped")
	begun, from := time.Now(), len(watcher.Events())
	printed, code := s.Cli("run", "-r", id, "--take-lock", "flood:8000:1000\necho:the end")
	s.Held("a stopped holder loses the lock", code == 0 && strings.Contains(printed, "the end") && time.Since(begun) < 2*time.Minute, "exit %d after %v: %.200s", code, time.Since(begun), printed)
	grown := s.PeakMemory() - memory
	s.Held("clients that do not read take bounded memory", grown < 300<<20, "%d MiB", grown>>20)
	other := s.Converse("other", id)
	s.Say(other, "echo:otherwise")
	s.Wait(other, 0, func(e kit.Event) bool { return strings.Contains(e.GetTextDelta().GetText(), "otherwise") })
	s.Must(holder.Process.Signal(syscall.SIGCONT), "continue the holder")
	_ = input.Close()
	s.Held("the holder ends", s.Becomes(func() bool { return kit.States(holder.Process.Pid) == "Z" }), "it goes on")
	stolen := false
	for _, e := range watcher.Events()[from:] {
		stolen = stolen || strings.Contains(e.GetUserInput().GetContent(), "while it was stopped")
	}
	s.Held("it does not write without the lock", !stolen, "it wrote; the holder was %s", held.GetLock().GetHolder())
}

// freeze stops a process and waits until all its threads have stopped.
func freeze(s *siege.Siege, c *exec.Cmd) {
	s.Must(c.Process.Signal(syscall.SIGSTOP), "stop a client")
	s.Until("a client has stopped", func() bool { return kit.Stopped(c.Process.Pid) })
}
