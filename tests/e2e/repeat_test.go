package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
	"betcode/tests/model"
)

// repeats sends a message that is repeated, and returns its key.
func (s *story) repeats(c *kit.Stream, text string, most uint32) string {
	s.Helper()
	key := uuid.NewString()
	if err := c.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{Message: &pb.UserMessage{
		Content: text, IdempotencyKey: key, Repeat: &pb.Repeat{Max: most},
	}}}); err != nil {
		s.Fatal(err)
	}
	return key
}

// prompted matches the event of prompt n, and ended that of the end of a repetition.
func prompted(n uint32) func(kit.Event) bool {
	return func(e kit.Event) bool {
		return e.GetRepeat().GetIteration() == n && e.GetRepeat().GetState() == pb.RepeatState_REPEAT_STATE_PROMPTED
	}
}

func ended(e kit.Event) bool {
	return e.GetRepeat().GetState() > pb.RepeatState_REPEAT_STATE_PROMPTED
}

// prompts returns the keys of the prompts of repeated messages, in order.
func prompts(events []kit.Event) (keys []string) {
	for _, e := range events {
		if u := e.GetUserInput(); u.GetIteration() > 0 {
			keys = append(keys, u.GetIdempotencyKey())
		}
	}
	return keys
}

func TestMessageIsRepeated(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	key := s.repeats(c, "until:3", 0)
	end, next := s.wait(c, 0, ended)
	if r := end.GetRepeat(); r.GetState() != pb.RepeatState_REPEAT_STATE_COMPLETE || r.GetIteration() != 3 || r.GetMax() != 50 || r.GetIdempotencyKey() != key {
		t.Errorf("%v", r)
	}
	s.wait(c, next, kit.IsIdle)
	if got := kit.Text(c.Events()); got != "moremoreDONE" {
		t.Errorf("text %q", got)
	}
	if keys := prompts(c.Events()); len(keys) != 3 || keys[0] != key {
		t.Errorf("prompts %v", keys)
	}
	s.sameHistory(c, id)
}

// The daemon and the agent are killed between prompts and in the middle of one. Each prompt is accepted and taken into the
// conversation once, and the limit counts over all of it.
func TestRepeatedMessageSurvivesKills(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	id := session()
	c := s.converse("a", id)
	key := s.repeats(c, "sleep:100ms\nuntil:9", 5)
	for n := uint32(2); n <= 4; n++ {
		s.wait(c, 0, prompted(n))
		if n != 3 {
			s.killRun(c, id, false)
		}
		s.killDaemon()
		c = s.converse("a", id)
	}
	end, next := s.wait(c, 0, ended)
	if r := end.GetRepeat(); r.GetState() != pb.RepeatState_REPEAT_STATE_EXHAUSTED || r.GetIteration() != 5 || r.GetIdempotencyKey() != key {
		t.Errorf("%v", r)
	}
	s.wait(c, next, kit.IsIdle)
	keys := prompts(c.Events())
	if len(keys) != 5 {
		t.Fatalf("%d prompts: %v", len(keys), keys)
	}
	for i, k := range keys {
		if n := s.accepted(id, k); n != 1 || slices.Index(keys, k) != i {
			t.Errorf("prompt %d was taken into the conversation %d times, keys %v", i+1, n, keys)
		}
	}
	s.sameHistory(c, id)
}

// People end a repetition with the turn, after the turn, and with the agent. Nothing follows.
func TestRepetitionIsCancelled(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	for i, how := range [][]string{{"session", "cancel"}, {"session", "cancel", "--repeat"}, {"session", "stop"}} {
		id := session()
		c := s.converse("a", id)
		gate := fmt.Sprintf("gate%d", i)
		s.repeats(c, "gate:"+gate+"\nuntil:9", 0)
		s.wait(c, 0, kit.IsRun(pb.RunState_RUN_STATE_STARTED))
		if shown := s.cli(0, "session", "show", id); !strings.Contains(shown, "prompt 1 of 50 until DONE") {
			t.Errorf("show: %s", shown)
		}
		s.cli(0, append(how, id)...)
		s.create(gate)
		end, _ := s.wait(c, 0, ended)
		if r := end.GetRepeat(); r.GetState() != pb.RepeatState_REPEAT_STATE_CANCELLED || r.GetIteration() != 1 || r.GetReason() == "" {
			t.Errorf("%v: %v", how, r)
		}
		s.wait(c, 0, kit.IsIdle)
		if shown := s.cli(0, "session", "show", id); strings.Contains(shown, "repeats") {
			t.Errorf("%v: %s", how, shown)
		}
		s.say(c, "echo:end")
		s.wait(c, 0, func(e kit.Event) bool { return e.GetTextDelta().GetText() == "end" })
		if keys := prompts(c.Events()); len(keys) != 1 {
			t.Errorf("%v: prompts %v", how, keys)
		}
	}
}

// A run waits for the end of the repetition.
func TestRunRepeats(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	run := func(code int, args ...string) (result map[string]any) {
		said := s.cli(code, append([]string{"run", "-o", "json"}, args...)...)
		said, _, _ = strings.Cut(said, "\n}\n") // the reason follows
		if err := json.Unmarshal([]byte(said+"}"), &result); err != nil {
			t.Fatalf("%s: %v", said, err)
		}
		return result
	}
	result := run(0, "--repeat", "until:2")
	if result["result"] != "DONE" || result["prompts"] != 2.0 {
		t.Errorf("%v", result)
	}
	result = run(1, "--repeat=2", "until:5")
	if result["is_error"] != true || result["prompts"] != 2.0 || !strings.Contains(fmt.Sprint(result["error"]), "has not answered DONE after 2 prompts") {
		t.Errorf("%v", result)
	}
	s.cli(5, "run", "--repeat=51", "echo:hello")
	s.cli(5, "run", "--until", "OVER", "echo:hello")
}

// The real Claude Code takes the keys that the daemon computes, and each prompt once, although daemon and agent are killed in the
// middle of the second one.
func TestRealAgentIsRepeated(t *testing.T) {
	t.Parallel()
	script, err := model.Parse([]byte(`{"about": "says that it is done at the third prompt", "rules": [
		{"name": "first", "when": {"prompt": "Work through the list"}, "times": 1, "reply": [{"text": "Not done yet."}]},
		{"name": "second", "when": {"prompt": "Work through the list"}, "times": 1, "reply": [{"hold": "second"}, {"text": "Nearly."}]},
		{"name": "third", "when": {"prompt": "Work through the list"}, "reply": [{"text": "Done."}]},
		{"name": "any", "when": {"prompt": "."}, "reply": [{"text": "Nearly."}]}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	w, server := scriptedWorld(t, binaries.betcode, script)
	s := storyIn(t, w)
	id := session()
	c := s.converse("a", id)
	s.repeats(c, "Work through the list", 9)
	_, next := s.wait(c, 0, prompted(2))
	s.wait(c, next, kit.IsStatus(pb.AgentStatus_THINKING))
	s.killRun(c, id, false)
	s.killDaemon()
	server.Release("second")
	c = s.converse("a", id)
	end, next := s.wait(c, 0, ended)
	if r := end.GetRepeat(); r.GetState() != pb.RepeatState_REPEAT_STATE_COMPLETE {
		t.Errorf("%v", r)
	}
	s.wait(c, next, kit.IsIdle)
	keys := prompts(c.Events())
	if len(keys) != int(end.GetRepeat().GetIteration()) || len(keys) < 3 {
		t.Errorf("prompts %v, %v", keys, end.GetRepeat())
	}
	transcript := s.transcriptOf(id)
	for _, k := range keys {
		n := 0
		for line := range strings.Lines(transcript) {
			var record struct{ Type, UUID string }
			if json.Unmarshal([]byte(line), &record) == nil && record.Type == "user" && record.UUID == k {
				n++
			}
		}
		if n != 1 {
			t.Errorf("prompt %s is in the transcript %d times", k, n)
		}
	}
}

// The daemon repeats the prompts of a session under a foreign proxy. The proxy gets each as an input of its own, once, also when
// the daemon is killed between two of them.
func TestProxiedSessionIsRepeated(t *testing.T) {
	t.Parallel()
	s := newStory(t, binaries.fake)
	p := kit.NewScriptedProxy(session())
	call := s.register(p)
	id := p.Register.GetSessionId()
	c := s.converse("ann", id)
	key := s.repeats(c, "build it", 0)
	const prompt = "build it\n\nTake action on the directions above until fully complete. If complete, respond only with DONE."
	for n, text := range []string{"Not done yet", "Nearly", "Done!"} {
		seq := uint64(n) + 1
		got, err := call.Wait(func(e *pb.ProxyEvent) bool { return e.GetInput().GetSeq() == seq })
		if err != nil {
			t.Fatal(err)
		}
		if in := got.GetInput(); in.GetContent() != prompt || (in.GetIdempotencyKey() == key) != (n == 0) {
			t.Errorf("input %d is %v", seq, in)
		}
		if err := call.TakeInput(seq, true); err != nil {
			t.Fatal(err)
		}
		p.Output(proxiedInit())
		p.Output(proxiedEcho(prompt))
		p.Output(proxiedText("m"+text, text))
		p.Output(strings.Replace(proxiedResult(), `"result":"done"`, `"result":`+quoted(text), 1))
		s.acknowledged(p)
		if n == 1 {
			s.killDaemon()
			call = s.register(p)
			c = s.converse("ann", id)
		}
	}
	end, _ := s.wait(c, 0, ended)
	if r := end.GetRepeat(); r.GetState() != pb.RepeatState_REPEAT_STATE_COMPLETE || r.GetIteration() != 3 || r.GetIdempotencyKey() != key {
		t.Errorf("%v", r)
	}
	if keys := prompts(c.Events()); len(keys) != 3 {
		t.Errorf("prompts %v", keys)
	}
}
