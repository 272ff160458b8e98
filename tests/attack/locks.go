package main

import (
	"strings"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// lockScenarios attack the input lock.
var lockScenarios = []scenario{
	{name: "locks: a process with the number of another", env: []string{"BETCODE_LOCK_GRACE=30m"}, attack: attackReusedNumber},
}

// attackReusedNumber kills the daemon and a client that holds the lock, and tries to write as a process of the same person that
// got the number of the dead one.
func attackReusedNumber(s *siege) {
	id := session()
	watcher := s.converseWith("watcher", &pb.StartConversation{SessionId: id, WorkingDirectory: s.world.Project, Observer: true})
	holder := s.holderOf(watcher, id)
	visible, secret, found := strings.Cut(holder, ".")
	s.held("the id of a process has more than its number", found && len(secret) >= 8, "%s", holder)

	again := s.holderOf(watcher, id)
	s.held("two processes have two ids", again != holder, "%s twice", holder)
	number := again[strings.LastIndex(again, "#")+1:]
	s.held("their random parts differ, too", !strings.HasSuffix(number, "."+secret), "%s and %s", holder, again)

	c := s.converse(holder, id) // as if it had lived on, attached
	s.say(c, "echo:mine")
	s.wait(c, 0, kit.IsTurnComplete)
	s.daemon.Kill()
	s.start()
	for name, client := range map[string]string{
		"the number alone":           visible,
		"another random part":        visible + "." + strings.Repeat("a", len(secret)),
		"the id of the next process": again,
		"as it is shown":             strings.ReplaceAll(visible[:strings.LastIndex(visible, "#")], ":", "-"),
	} {
		other := s.converse(client, id)
		s.say(other, "echo:stolen")
		refused, _ := s.wait(other, 0, func(e kit.Event) bool {
			return e.GetError() != nil || strings.Contains(e.GetTextDelta().GetText(), "stolen")
		})
		s.held(name, refused.GetError().GetCode() == "NO_INPUT_LOCK", "%v", refused)
	}
}

// holderOf returns the client that gets the lock when 'betcode run' sends a prompt.
func (s *siege) holderOf(watcher *kit.Stream, id string) string {
	from := len(watcher.Events())
	if printed, code := s.cli("run", "-r", id, "echo:hello"); code != 0 {
		s.fail("run a prompt: exit %d: %s", code, printed)
	}
	taken, _ := s.wait(watcher, from, func(e kit.Event) bool { return strings.Contains(e.GetLock().GetHolder(), "#") })
	return taken.GetLock().GetHolder()
}
