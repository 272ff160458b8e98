package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	pb "betcode/proto/betcode/v1"
)

// publishedStories play the calls of the published command line of betcode.v1, in bytes.
var publishedStories = []story{
	{name: "published headless client", run: publishedHeadless},
	{name: "published screen", run: publishedScreen},
	{name: "published answers", run: publishedAnswers},
	{name: "published lists", run: publishedLists},
}

const publishedRows = "Published clients"

// headless replays, then sends start and message at once, and leaves at TurnComplete.
func (c *publishedClient) headless(session, prompt string) string {
	c.Helper()
	c.replay(session)
	s := c.converse(session, said(prompt))
	s.until(eventTurn)
	return textOf(s.seen)
}

// publishedHeadless asks one thing after the other.
func publishedHeadless(s *stage) {
	id, c := session(), s.published("headless")
	first := c.converse(id, said("echo:first"))
	first.until(eventTurn)
	if got := textOf(first.seen); got != "first" {
		s.Errorf("%q", got)
	}
	s.must(first.stream.CloseSend())
	for _, word := range []string{"second", "third"} {
		if got := c.headless(id, "echo:"+word); got != word {
			s.Errorf("asked for %s, got %q", word, got)
		}
	}
	s.shows(publishedRows, "A second prompt gets its own answer")
	if got := c.headless(id, "think:answer"); got != "answer" {
		s.Errorf("with thinking: %q", got)
	}
	s.shows(publishedRows, "Thinking is not in the text")

	other := s.published("other").converse(id, said("echo:refused"))
	for {
		var event wire
		err := other.stream.RecvMsg(&event)
		if err == nil && event.at(eventError, 1) == nil {
			continue
		}
		if err != nil && status.Code(err) != codes.PermissionDenied || err == nil && event.at(eventError).number(3) != 1 {
			s.Errorf("a message without the lock: %v, %v", event, err)
		}
		break
	}
	s.shows(publishedRows, "A refused first message is fatal")
}

// publishedScreen converses first and replays beside it.
func publishedScreen(s *stage) {
	id, c := session(), s.published("screen")
	c.converse(id, said("echo:before")).until(eventTurn)
	screen := c.converse(id)
	screen.until(eventInfo)
	screen.say("gate:go\necho:after")
	for thinking := false; !thinking; {
		thinking = screen.until(eventStatus).number(1) == uint64(pb.AgentStatus_THINKING)
	}
	if got := textOf(screen.seen); got != "" {
		s.Errorf("the stream repeats %q", got)
	}
	if got := textOf(c.replay(id)); got != "before" { // ends although a turn runs
		s.Errorf("replayed %q", got)
	}
	s.shows(publishedRows, "History comes once, by ResumeSession", "ResumeSession beside Converse ends while a turn runs")

	screen.say("echo:queued")
	s.must(os.WriteFile(filepath.Join(s.world.Project, "go"), nil, 0o600))
	screen.until(eventTurn)
	before := len(screen.seen)
	if told := screen.until(eventStatus).number(1); told != uint64(pb.AgentStatus_THINKING) && told != uint64(pb.AgentStatus_IDLE) {
		s.Errorf("after the turn: status %d", told)
	}
	if got := textOf(screen.seen[before:]); got != "" {
		s.Errorf("%q comes before the status", got)
	}
	s.shows(publishedRows, "TurnComplete is followed by IDLE or THINKING")
}

// publishedAnswers answers with the numbers that published clients use.
func publishedAnswers(s *stage) {
	id, c := session(), s.published("answers")
	screen := c.converse(id)
	screen.until(eventInfo)
	answer := func(request wire, decision pb.PermissionDecision, more ...wire) {
		s.Helper()
		screen.send(put(requestPermission, message(append([]wire{put(1, string(request.at(1))), put(2, int(decision))}, more...)...)))
	}
	screen.say("run:echo plain")
	request := screen.until(eventPermission)
	if !strings.Contains(string(request.at(3)), "echo plain") {
		s.Errorf("described as %q", request.at(3))
	}
	s.shows(publishedRows, "Bash is described by its command")
	time.Sleep(300 * time.Millisecond) // a person thinks
	sent := time.Now()
	answer(request, pb.PermissionDecision_ALLOW_ONCE)
	took := screen.until(eventToolResult).number(4)
	if most := time.Since(sent).Milliseconds() + 1; took > uint64(most) {
		s.Errorf("the tool took %d ms, the answer was sent %d ms before", took, most)
	}
	s.shows(publishedRows, "duration_ms is the tool's own time")
	screen.until(eventTurn)

	command := message(put(1, "command"), put(2, put(3, "echo edited")))
	screen.say("run:echo original")
	answer(screen.until(eventPermission), pb.PermissionDecision_ALLOW_WITH_EDIT, put(3, put(1, command)))
	if got := string(screen.until(eventToolResult).at(2)); !strings.Contains(got, "edited") {
		s.Errorf("ran as %q", got)
	}
	screen.until(eventTurn)
	screen.say("run:echo denied")
	answer(screen.until(eventPermission), pb.PermissionDecision_DENY, put(4, "use the other one"))
	if got := string(screen.until(eventToolResult).at(2)); !strings.Contains(got, "use the other one") {
		s.Errorf("denied with %q", got)
	}
	screen.until(eventTurn)
	s.shows(publishedRows, "Edited input in field 3, text of a denial in field 4")

	screen.say("tools:2")
	first, last := screen.until(eventPermission), screen.until(eventPermission) // the last is in the only slot
	answer(last, pb.PermissionDecision_DENY)
	again := screen.until(eventPermission)
	if string(again.at(1)) != string(first.at(1)) {
		s.Errorf("%s is repeated, want %s", again.at(1), first.at(1))
	}
	answer(again, pb.PermissionDecision_DENY)
	screen.until(eventTurn)
	screen.say("ask")
	answered := map[string]bool{}
	for len(answered) < 3 {
		if len(answered) == 0 { // three at once: the last is kept
			screen.until(eventQuestion)
			screen.until(eventQuestion)
		}
		question := screen.until(eventQuestion)
		name := string(question.at(1))
		if answered[name] {
			continue
		}
		answered[name] = true
		screen.send(put(requestAnswers, message(put(1, name), put(2, message(put(1, string(question.at(2))), put(2, "yes"))))))
	}
	screen.until(eventTurn)
	s.shows(publishedRows, "What is still pending is told again")
}

// publishedLists reads all lists.
func publishedLists(s *stage) {
	skill := filepath.Join(s.world.Home, ".claude", "skills", "tidy", "SKILL.md")
	s.must(os.MkdirAll(filepath.Dir(skill), 0o700))
	s.must(os.WriteFile(skill, []byte("---\nname: tidy\ndescription: Tidies\n---\n"), 0o600))
	older, newer, c := session(), session(), s.published("lists")
	c.converse(older).until(eventInfo)
	names := ""
	c.call("CommandService/GetCommandRegistry", put(1, older)).each(func(_ protowire.Number, entry wire, _ uint64) { names += " " + string(entry.at(1)) })
	if !strings.Contains(names, " tidy") {
		s.Errorf("commands%s", names)
	}
	s.shows(publishedRows, "Commands are known before the first turn")

	c.converse(older, said("echo:older")).until(eventTurn)
	c.converse(newer, said("echo:newer")).until(eventTurn)
	run := func() *pb.RunInfo {
		view, err := s.daemon.Admin().ShowSession(s.Context(), &pb.ShowSessionRequest{SessionId: older})
		s.must(err)
		return view.GetRun()
	}
	s.must(syscall.Kill(int(run().GetPid()), syscall.SIGKILL))
	s.eventually("the agent has ended", func() bool { return run().GetState() == pb.RunState_RUN_STATE_EXITED })
	first := ""
	c.call("AgentService/ListSessions", nil).each(func(number protowire.Number, summary wire, _ uint64) {
		if first == "" && number == 1 {
			first = string(summary.at(1))
		}
	})
	if first != newer {
		s.Error("the end of an agent counts as use of its session")
	}
	s.shows(publishedRows, "Only use moves a session up the list")

	machine := c.call("MachineService/ListMachines", nil).at(1)
	if len(machine.at(1)) != 36 || len(machine.at(2)) == 0 || machine.number(4) != 1 || machine.has(5) || machine.at(6).number(1) == 0 {
		s.Errorf("machine %x", []byte(machine))
	}
	s.shows(publishedRows, "ListMachines is read by published clients")
}
