package callers

import (
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/attack/siege"
	"betcode/tests/kit"
)

// lockScenarios attack the input lock.
var lockScenarios = []siege.Scenario{
	{Name: "locks: a process with the number of another", Env: []string{"BETCODE_LOCK_GRACE=30m"}, Attack: attackReusedNumber},
	{Name: "locks: clients that are killed", Attack: attackLockLoops},
	{Name: "locks: clients that are stopped", Attack: attackStoppedHolder},
	{Name: "locks: many answers to one request", Attack: attackAnswers},
}

// attackReusedNumber kills the daemon and a client that holds the lock, and tries to write as a process of the same person that
// got the number of the dead one.
func attackReusedNumber(s *siege.Siege) {
	id := siege.NewSession()
	watcher := s.ConverseWith("watcher", &pb.StartConversation{SessionId: id, WorkingDirectory: s.World.Project, Observer: true})
	holder := holderOf(s, watcher, id)
	visible, secret, found := strings.Cut(holder, ".")
	s.Held("the id of a process has more than its number", found && len(secret) >= 8, "%s", holder)

	again := holderOf(s, watcher, id)
	s.Held("two processes have two ids", again != holder, "%s twice", holder)
	number := again[strings.LastIndex(again, "#")+1:]
	s.Held("their random parts differ, too", !strings.HasSuffix(number, "."+secret), "%s and %s", holder, again)

	c := s.Converse(holder, id) // as if it had lived on, attached
	s.Say(c, "echo:mine")
	s.Wait(c, 0, kit.IsTurnComplete)
	s.Daemon.Kill()
	s.Start()
	for name, client := range map[string]string{
		"the number alone":           visible,
		"another random part":        visible + "." + strings.Repeat("a", len(secret)),
		"the id of the next process": again,
		"as it is shown":             strings.ReplaceAll(visible[:strings.LastIndex(visible, "#")], ":", "-"),
	} {
		other := s.Converse(client, id)
		s.Say(other, "echo:stolen")
		refused, _ := s.Wait(other, 0, func(e kit.Event) bool {
			return e.GetError() != nil || strings.Contains(e.GetTextDelta().GetText(), "stolen")
		})
		s.Held(name, refused.GetError().GetCode() == "NO_INPUT_LOCK", "%v", refused)
	}
}

// holderOf returns the client that gets the lock when 'betcode run' sends a prompt.
func holderOf(s *siege.Siege, watcher *kit.Stream, id string) string {
	from := len(watcher.Events())
	if printed, code := s.Cli("run", "-r", id, "echo:hello"); code != 0 {
		s.Fail("run a prompt: exit %d: %s", code, printed)
	}
	taken, _ := s.Wait(watcher, from, func(e kit.Event) bool { return strings.Contains(e.GetLock().GetHolder(), "#") })
	return taken.GetLock().GetHolder()
}
