package talk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/google/uuid"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/inbox"
	pb "betcode/proto/betcode/v1"
)

// RunOptions are the options of a run.
type RunOptions struct {
	Prompt    string
	Policy    Policy        // who decides about permissions
	Output    Output        // the format of its output
	MaxOutage time.Duration // how long the daemon may be unreachable
	Repeat    *pb.Repeat    // the daemon repeats the prompt; nil: it is sent once

	Attachments []*pb.Attachment
	TakeLock    bool // ask for the input lock if another client holds it
	Detach      bool // end when the prompt is accepted, and print the id of the session
}

// Run gives the agent one prompt, waits until its turn is over, and prints the answer. Its error has the exit code of the
// turn.
func Run(ctx context.Context, c *console.Console, cl *client.Client, o Opening, options RunOptions) error {
	r := &unattended{
		console: c, client: cl, out: options.Output, prompt: options.Prompt, repeat: options.Repeat, attachments: options.Attachments, detach: options.Detach, lock: lockRequest{wanted: options.TakeLock},
		conv: cl.Converse(ctx, client.ConverseOptions{Start: o.Start, MaxOutage: options.MaxOutage}),
	}
	if options.Detach {
		r.out = &textOutput{stdout: c.Stdout} // the id is all that is printed
	}
	ctx, cancel := context.WithCancel(ctx)
	defer r.asking.Wait()
	defer cancel()
	defer r.conv.Close()
	r.turn = turn{client: cl.ID(), session: r.conv.Session(), policy: options.Policy, repeats: options.Repeat != nil, shown: showsText(options.Output)}
	if o.Changes != nil {
		r.change.Send(r.conv, o.Changes)
	} else {
		r.send()
	}
	if options.Policy == askPerson && !options.Detach {
		keys := OpenKeyboard(c)
		defer keys.Close()
		r.lines = keys.lines
	}
	return r.run(ctx)
}

// unattended is one run.
type unattended struct {
	console *console.Console
	client  *client.Client
	conv    *client.Conversation
	out     Output
	prompt  string
	repeat  *pb.Repeat
	change  SettingsChange
	turn    turn
	lines   <-chan Line // lines of a person; nil if there is no person
	inbox   inbox.Queue
	shown   time.Time // when the person was asked about the head of the inbox

	reserved reservation
	lock     lockRequest
	asking   sync.WaitGroup

	attachments []*pb.Attachment
	detach      bool
	warned      bool // Ctrl-C was pressed while the message waits for the turn of another one
	unassigned  unassigned
}

// send sends the prompt, under a new key.
func (r *unattended) send() {
	r.turn.key = uuid.NewString()
	r.conv.Send(&pb.AgentRequest{Request: &pb.AgentRequest_Message{
		Message: &pb.UserMessage{Content: r.prompt, IdempotencyKey: r.turn.key, Repeat: r.repeat, Attachments: r.attachments},
	}})
}

// run handles items, lines and Ctrl-C until the turn is over.
func (r *unattended) run(ctx context.Context) error {
	interrupts, release := r.console.OnInterrupt()
	defer release()
	for !r.turn.done {
		lines := r.lines
		if !r.console.Terminal.In && r.inbox.Head() == nil {
			lines = nil // a pipe is read only when a question waits; early lines of a person are dropped
		}
		select {
		case item, ok := <-r.conv.Items():
			if !ok {
				return r.ended(r.conv.Err())
			}
			if err := r.item(ctx, item); err != nil {
				return err
			}
			if r.detach && r.turn.accepted {
				_, err := fmt.Fprintln(r.console.Stdout, r.conv.Session())
				return err
			}
		case line, ok := <-lines:
			if !ok {
				r.lines = nil // the person has left; other clients may answer
				if r.inbox.Head() != nil {
					r.ask()
				}
				continue
			}
			r.answer(line)
		case <-r.reserved.due:
			r.resend()
		case <-r.unassigned.due:
			r.assign(ctx, r.unassigned.take())
		case a := <-r.lock.answered:
			if err := r.lockAnswered(a); err != nil {
				return err
			}
		case <-interrupts:
			behind, _ := r.behind(ctx) // an outage is reported by the conversation
			behind = behind && !r.turn.interrupted
			if r.turn.interrupted || behind && r.warned {
				r.out.pause()
				Left(r.console, r.conv)
				return exit.Silent(exit.Interrupted)
			}
			if r.warned = behind; behind {
				r.say("This message waits for the turn of another one. Ctrl-C again leaves it waiting; to end that turn: betcode session cancel %s",
					console.ShortID(r.conv.Session()))
				continue
			}
			r.turn.interrupted = true
			r.say("Interrupting; Ctrl-C again to leave.")
			r.conv.Send(cancelRequest())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := r.out.finish(&r.turn); err != nil {
		return err
	}
	return r.turn.exit()
}

func (r *unattended) item(ctx context.Context, item client.Item) error {
	switch {
	case r.change.Pending():
		return r.changing(item)
	case item.Outage != nil:
		r.out.pause()
		reportOutage(r.console, item.Outage)
	case item.Lost != nil:
		r.say("The interrupt did not reach the daemon.")
		r.turn.interrupted = false
	case item.Event != nil && r.reserved.refused(&r.turn, item.Event, time.Now()):
		r.awaitLock(item.Event)
	case item.Event != nil && r.lock.takes(&r.turn, item.Event):
		r.takeLock(ctx, item.Event)
	case item.Event != nil:
		r.assign(ctx, []*pb.AgentEvent{item.Event})
		if err := r.out.event(&r.turn, item.Event); err != nil {
			return err
		}
		if n := item.Event.GetNotice(); n.GetCode() == waitingForSlot && !showsNotices(r.out) {
			r.say("%s", console.Line(n.GetMessage()))
		}
		if request := r.turn.behind(item.Event); request != "" {
			r.sayBehind(request)
		}
		r.fromSubagent(item.Event)
		if due := r.inbox.Due(item.Event); due != nil {
			r.conv.Send(due)
		}
		if before := r.inbox.Key(); r.waits(item.Event) && r.inbox.Key() != before && r.inbox.Head() != nil {
			r.ask()
		}
		if r.turn.mayBeOver && !r.turn.done {
			return r.checkSession(ctx)
		}
	}
	return nil
}

// fromSubagent reports that a subagent waits for a person whom this run does not ask.
func (r *unattended) fromSubagent(e *pb.AgentEvent) {
	if id, name := inbox.SubagentOf(e); id != "" && r.turn.policy != askPerson {
		r.say("Subagent %s waits for an answer: betcode permission list", console.Line(name))
	}
}

// waits takes a request that a person at this run is to answer, or the end of one. It reports whether the event was either.
func (r *unattended) waits(e *pb.AgentEvent) bool {
	return (e.GetPermissionResolved() != nil || r.turn.policy == askPerson && r.turn.forPerson(e)) && r.inbox.Event(e)
}

func (r *unattended) say(format string, args ...any) {
	r.out.pause()
	r.console.Say(format, args...)
}

func (r *unattended) ask() {
	w := r.inbox.Head()
	r.shown = time.Now()
	if r.lines != nil {
		r.out.pause()
		fmt.Fprint(r.console.Stderr, w.Text(console.Style(r.console.Terminal.Colour), time.Now(), true))
		if r.console.Terminal.In && !r.console.Attended() {
			r.say("This command is in the background: bring it to the foreground to answer, or: betcode permission list")
		}
		return
	}
	r.say("Waiting for an answer to %s from another client: betcode permission list", console.ShortID(w.ID))
}

func (r *unattended) answer(l Line) {
	w := r.inbox.Head()
	switch {
	case w == nil:
		return
	case l.tooLong || !l.deliberate(w, r.shown):
		r.say("%s", notDeliberate)
		return
	}
	request, complaint := r.inbox.Answer(l.text)
	if complaint != "" {
		r.say("%s", complaint)
	}
	if request != nil {
		r.conv.Send(request)
	}
	if request != nil && r.inbox.Head() != nil {
		r.ask()
	}
}

// checkSession asks the daemon for the state of the session when no event will report it: a message can be done without a
// turn of its own.
func (r *unattended) checkSession(ctx context.Context) error {
	r.turn.mayBeOver = false
	view, err := r.client.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: r.conv.Session()})
	if client.Unreachable(err) {
		return nil // the conversation reports the outage
	}
	if err != nil {
		return err
	}
	r.turn.quiescent(view)
	return nil
}

// ended returns the error for a conversation that ended before the turn was over.
func (r *unattended) ended(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return exit.With(exit.Failed, errors.New("the session was closed before the turn was over"))
	case client.Unreachable(err):
		return exit.With(exit.Connection, fmt.Errorf(
			"the daemon stopped answering. The session is kept: start a daemon, then 'betcode session attach %s'", r.conv.Session()))
	}
	return err
}

func cancelRequest() *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{Reason: "interrupted by the user"}}}
}
