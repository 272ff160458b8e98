package siege

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	pb "betcode/proto/betcode/v1"
)

// SetUpRepository makes the project a repository whose setup leaves a mark each time it runs.
func SetUpRepository(s *Siege) {
	s.Must(os.MkdirAll(s.Mark(""), 0o700), "make a directory")
	s.Write(s.Project(".betcode/worktree-setup.sh"), "echo ran >>"+s.Mark("setup")+"\n")
	s.Write(s.Project("a"), "a\n")
	s.Git(s.World.Project, "init", "-q")
	s.Git(s.World.Project, "add", ".")
	s.Git(s.World.Project, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first")
}

// Standing describes the state that the calls would change: the fleet, the worktrees, and the
// number of setups that ran.
func (s *Siege) Standing() string {
	fleet, err := pb.NewFleetServiceClient(s.Daemon.Conn()).GetFleet(s, &pb.GetFleetRequest{})
	s.Must(err, "look at the fleet")
	list, err := pb.NewWorktreeServiceClient(s.Daemon.Conn()).ListWorktrees(s, &pb.ListWorktreesRequest{})
	s.Must(err, "list worktrees")
	text := fmt.Sprintf("stopped %t;", fleet.GetFleet().GetStopped())
	for _, w := range list.GetWorktrees() {
		text += fmt.Sprintf(" %s active %t;", w.GetName(), w.GetActive())
	}
	beside, err := filepath.Glob(s.World.Project + "*")
	s.Must(err, "look beside the project")
	marks, _ := os.ReadFile(s.Mark("setup"))
	return fmt.Sprintf("%s %d setups; beside the project: %v", text, strings.Count(string(marks), "ran"), beside)
}

// Git runs a command of git in a directory.
func (s *Siege) Git(directory string, args ...string) {
	command := exec.CommandContext(s, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-C", directory}, args...)...)
	command.Env = s.World.Environ()
	if out, err := command.CombinedOutput(); err != nil {
		s.Fail("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
