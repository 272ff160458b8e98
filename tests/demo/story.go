package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	pb "betcode/proto/betcode/v1"
	"betcode/tests/kit"
)

// story is the state of the running demo.
type story struct {
	ctx     context.Context
	world   *kit.World
	daemon  *kit.Daemon
	session string
	seen    []kit.Event // everything journaled that the first client received
	agent   int32       // pid of the agent
	request string      // id of the pending permission request
	prompt  prompts
}

// play plays the story, step by step. Each step prints what it shows, and returns an error if that
// did not happen.
func play(ctx context.Context) (err error) {
	s := &story{ctx: ctx, session: uuid.NewString()}
	cast, err := castAgent(ctx)
	if err != nil {
		return err
	}
	defer cast.close()
	s.prompt = cast.prompts
	if s.world, err = kit.NewWorld(filepath.Join(kit.Repository(), "bin", "betcode"), cast.program, cast.environ...); err != nil {
		return err
	}
	defer func() {
		if ended := s.end(); err == nil {
			err = ended
		}
	}()
	for _, step := range []struct {
		title string
		do    func() error
	}{
		{"A daemon starts", s.startDaemon},
		{"A prompt streams an answer", s.streamAnswer},
		{"A tool needs permission", s.askPermission},
		{"The daemon is killed with SIGKILL while the permission is pending", s.killDaemon},
		{"A new daemon adopts the running agent; the client answers; the tool runs", s.answer},
		{"A second client attaches and gets the whole history", s.secondClient},
	} {
		say("\n%s", step.title)
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", strings.ToLower(step.title[:1])+step.title[1:], err)
		}
	}
	return nil
}

func (s *story) startDaemon() (err error) {
	if s.daemon, err = s.world.Start(s.ctx); err != nil {
		return err
	}
	say("  daemon   pid %d, serving on a socket of mode 0600 in a directory of mode 0700", s.daemon.PID())
	return nil
}

func (s *story) streamAnswer() error {
	stream, err := s.attach("terminal", 0)
	if err != nil {
		return err
	}
	if err := stream.Say(uuid.NewString(), s.prompt.text); err != nil {
		return err
	}
	_, end, err := stream.Wait(0, kit.IsIdle)
	if err != nil {
		return err
	}
	text := kit.Text(stream.Events()[:end])
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("the answer is empty")
	}
	say("  you      %s", s.prompt.text)
	say("  claude   %s", oneLine(text))
	return s.leave(stream)
}

func (s *story) askPermission() error {
	stream, err := s.attach("terminal", s.last())
	if err != nil {
		return err
	}
	if err := stream.Say(uuid.NewString(), s.prompt.tool); err != nil {
		return err
	}
	asked, end, err := stream.Wait(0, kit.IsPermission)
	if err != nil {
		return err
	}
	s.request = asked.GetPermissionRequest().GetRequestId()
	say("  you      %s", s.prompt.tool)
	say("  claude   wants to run %s: %v", asked.GetPermissionRequest().GetToolName(), asked.GetPermissionRequest().GetInput().AsMap()["command"])
	if _, _, err := stream.Wait(end-1, kit.IsStatus(pb.AgentStatus_WAITING_FOR_USER)); err != nil {
		return err
	}
	if s.made() {
		return fmt.Errorf("the tool ran without being allowed")
	}
	if err := s.leave(stream); err != nil {
		return err
	}
	for _, e := range s.seen {
		if kit.IsRun(pb.RunState_RUN_STATE_STARTED)(e) {
			s.agent = e.GetRun().GetPid()
		}
	}
	say("  client   has %d events, the last is number %d", len(s.seen), s.last())
	return nil
}

func (s *story) killDaemon() error {
	old := s.daemon.PID()
	s.daemon.Kill()
	if err := alive(int(s.agent)); err != nil {
		return fmt.Errorf("the agent died with the daemon: %w", err)
	}
	say("  daemon   pid %d is gone; the agent, pid %d, lives", old, s.agent)
	return s.startDaemon()
}

func (s *story) answer() error {
	stream, err := s.attach("terminal", s.last())
	if err != nil {
		return err
	}
	adopted, _, err := stream.Wait(0, kit.IsRun(pb.RunState_RUN_STATE_ADOPTED))
	if err != nil {
		return err
	}
	if pid := adopted.GetRun().GetPid(); pid != s.agent {
		return fmt.Errorf("pid %d was adopted, the agent was %d", pid, s.agent)
	}
	say("  daemon   adopted pid %d: the same process", s.agent)
	if _, _, err := stream.Wait(0, func(e kit.Event) bool {
		return e.GetPermissionRequest().GetRequestId() == s.request && e.GetPermissionRequest().GetIsReplay()
	}); err != nil {
		return err
	}
	say("  client   reconnected behind number %d; the prompt is still there; answering: allow", s.last())
	if err := stream.Answer(s.request, pb.PermissionDecision_ALLOW_ONCE, ""); err != nil {
		return err
	}
	result, _, err := stream.Wait(0, func(e kit.Event) bool { return e.GetToolCallResult() != nil })
	if err != nil {
		return err
	}
	_, end, err := stream.Wait(0, kit.IsIdle)
	if err != nil {
		return err
	}
	if !s.made() {
		return fmt.Errorf("the tool did not run")
	}
	say("  tool     ran: %s", oneLine(result.GetToolCallResult().GetOutput()))
	say("  claude   %s", oneLine(kit.Text(stream.Events()[:end])))
	return s.leave(stream)
}

func (s *story) secondClient() error {
	stream, err := s.daemon.Resume(s.ctx, s.session, 0)
	if err != nil {
		return err
	}
	if err := stream.WaitEnd(); err != nil {
		return err
	}
	theirs, err := kit.Journaled(stream.Events(), 1)
	if err != nil {
		return err
	}
	if len(theirs) < len(s.seen) {
		return fmt.Errorf("it got %d events, the first client had %d", len(theirs), len(s.seen))
	}
	if err := kit.Same(s.seen, theirs[:len(s.seen)]); err != nil {
		return err
	}
	say("  phone    got events 1 to %d: the same numbers and the same bytes", len(theirs))
	return nil
}

// attach opens a stream behind a number.
func (s *story) attach(client string, from uint64) (*kit.Stream, error) {
	return s.daemon.Converse(s.ctx, client, &pb.StartConversation{
		SessionId: s.session, WorkingDirectory: s.world.Project, FromSequence: from,
	})
}

// leave closes a stream and stores its events. Their numbers must continue without a gap.
func (s *story) leave(stream *kit.Stream) error {
	stream.Close()
	events, err := kit.Journaled(stream.Events(), s.last()+1)
	s.seen = append(s.seen, events...)
	return err
}

// last is the number of the last journaled event received.
func (s *story) last() uint64 {
	if len(s.seen) == 0 {
		return 0
	}
	return s.seen[len(s.seen)-1].GetSequence()
}

// made reports whether the tool has created its file.
func (s *story) made() bool {
	_, err := os.Stat(filepath.Join(s.world.Project, madeFile))
	return err == nil
}

// end stops the daemon and checks that nothing is left over.
func (s *story) end() error {
	if s.daemon != nil {
		if _, err := s.daemon.Stop(); err != nil {
			return err
		}
	}
	if left := s.world.End(); len(left) > 0 {
		return fmt.Errorf("processes left over: %v", left)
	}
	return s.world.Remove()
}
