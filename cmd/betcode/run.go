package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

func (p *program) runCommand() *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "give the agent one prompt and wait for its answer",
		ArgsUsage: "PROMPT",
		Description: "The prompt is the argument, standard input if that is '-' or missing, or a file (--file).\n" +
			"The answer goes to standard output, everything else to standard error.\n\n" +
			"--output-format text         the agent's final answer\n" +
			"                json         one object: betcode.run/v1\n" +
			"                stream-json  every event as it comes, one object per line:\n" +
			"                             betcode.v1.AgentEvent in the JSON mapping of protobuf\n\n" +
			"--permissions ask    on the terminal; without one, wait until somebody answers with\n" +
			"                     'betcode permission' or from another client\n" +
			"              allow  say yes to every request\n" +
			"              deny   say no to every request; the command then ends with 3\n" +
			"The default is ask on a terminal and deny without one. Questions of the agent are\n" +
			"declined by allow and deny.\n\n" +
			"Ctrl-C interrupts the turn; a second one leaves, and the agent goes on.",
		Flags: append(sessionFlags(),
			&cli.StringFlag{Name: "file", Aliases: []string{"f"}, Usage: "`PATH` of a file with the prompt"},
			&cli.StringFlag{Name: "output-format", Aliases: []string{"o"}, Value: "text", Usage: "`FORMAT`: text, json or stream-json"},
			&cli.StringFlag{Name: "permissions", Usage: "`WHO` decides: ask, allow or deny"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show more"},
		),
		Action: p.runPrompt,
	}
}

func (p *program) runPrompt(c *cli.Context) error {
	prompt, fromStdin, err := p.prompt(c)
	if err != nil {
		return err
	}
	policy, err := p.permissionPolicy(c.String("permissions"), fromStdin)
	if err != nil {
		return err
	}
	out, err := p.runOutput(c.String("output-format"), c.Bool("verbose"))
	if err != nil {
		return err
	}
	cl, cfg, err := p.connect(c.Context, c)
	if err != nil {
		return err
	}
	defer cl.Close()
	o, err := p.open(c.Context, c, cl)
	if err != nil {
		return err
	}
	if o.head > 0 { // what was before is not ours to show
		o.start.History, o.start.FromSequence = pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE, o.head
	}
	r := &unattended{
		program: p, client: cl, out: out, prompt: prompt,
		conv: cl.Converse(c.Context, client.ConverseOptions{Start: o.start, MaxOutage: max(cfg.ConnectTimeout, time.Second)}),
	}
	defer r.conv.Close()
	r.turn = turn{session: r.conv.Session(), policy: policy}
	if change := o.settingsRequest(); change != nil {
		r.change(change)
	} else {
		r.turn.key = r.conv.Say(prompt)
	}
	if policy == askPerson {
		keys := p.openKeyboard()
		defer keys.close()
		r.lines = keys.lines
	}
	return r.run(c.Context)
}

// prompt reads the prompt from where it is. fromStdin: nobody can be asked there.
func (p *program) prompt(c *cli.Context) (prompt string, fromStdin bool, err error) {
	words, file := c.Args().Slice(), c.String("file")
	switch {
	case file != "" && len(words) > 0:
		return "", false, exit.Usage(errors.New("a prompt and --file contradict each other: leave one of them out"))
	case file != "" && file != "-":
		raw, err := os.ReadFile(file)
		if err != nil {
			return "", false, exit.Usage(fmt.Errorf("read prompt: %w", err))
		}
		prompt = string(raw)
	case file == "-" || len(words) == 1 && words[0] == "-" || len(words) == 0 && !p.Terminal.In:
		raw, err := io.ReadAll(p.Stdin)
		if err != nil {
			return "", false, fmt.Errorf("read prompt: %w", err)
		}
		prompt, fromStdin = string(raw), true
	default:
		prompt = strings.Join(words, " ")
	}
	if strings.TrimSpace(prompt) == "" {
		return "", false, exit.Usage(errors.New(`there is no prompt: give it as an argument, on standard input, or with --file. Example: betcode run "explain this project"`))
	}
	return strings.ToValidUTF8(prompt, "\ufffd"), fromStdin, nil
}

// unattended is one `betcode run`.
type unattended struct {
	program *program
	client  *client.Client
	conv    *client.Conversation
	out     runOutput
	prompt  string
	behind  string // key of the message behind a change of settings (run_settings.go); empty: there is none
	turn    turn
	lines   <-chan line // what a person types, nil if nobody does
	inbox   inbox
	shown   time.Time // when the head of the inbox was put to the person

	reserved reservation
}

// run goes on until the turn is over, and says how it went.
func (r *unattended) run(ctx context.Context) error {
	interrupts, release := r.program.OnInterrupt()
	defer release()
	for !r.turn.done {
		lines := r.lines
		if !r.program.Terminal.In && r.inbox.head() == nil {
			lines = nil // a pipe is read when there is something to answer; a person's early lines are dropped
		}
		select {
		case item, ok := <-r.conv.Items():
			if !ok {
				return r.ended(r.conv.Err())
			}
			if err := r.item(ctx, item); err != nil {
				return err
			}
		case line, ok := <-lines:
			if !ok {
				r.lines = nil // nobody there any more: others may answer
				if r.inbox.head() != nil {
					r.ask()
				}
				continue
			}
			r.answer(line)
		case <-r.reserved.due:
			r.sayAgain()
		case <-interrupts:
			if r.turn.interrupted {
				r.out.pause()
				r.program.left(r.conv)
				return exit.Silent(exit.Interrupted)
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
	case r.behind != "":
		return r.changing(item)
	case item.Outage != nil:
		r.out.pause()
		r.program.tellOutage(item.Outage)
	case item.Lost != nil:
		r.say("The interrupt did not reach the daemon.")
		r.turn.interrupted = false
	case item.Event != nil && r.reserved.refused(&r.turn, item.Event, time.Now()):
		r.awaitLock(item.Event)
	case item.Event != nil:
		for _, request := range r.turn.event(item.Event) {
			r.conv.Send(request)
		}
		if err := r.out.event(item.Event); err != nil {
			return err
		}
		if r.turn.policy == askPerson && r.turn.asks(item.Event) && r.inbox.add(item.Event) && len(r.inbox.waiting) == 1 || r.resolvedHead(item.Event) {
			r.ask()
		}
		if r.turn.mayBeOver && !r.turn.done {
			return r.look(ctx)
		}
	}
	return nil
}

// resolvedHead takes note that somebody else answered, and reports whether
// something else is to be asked now.
func (r *unattended) resolvedHead(e *pb.AgentEvent) bool {
	if e.GetPermissionResolved() == nil {
		return false
	}
	before := r.inbox.head()
	r.inbox.add(e)
	return before != r.inbox.head() && r.inbox.head() != nil
}

func (r *unattended) say(format string, args ...any) {
	r.out.pause()
	r.program.Say(format, args...)
}

func (r *unattended) ask() {
	w := r.inbox.head()
	r.shown = time.Now()
	if r.lines != nil {
		r.out.pause()
		fmt.Fprint(r.program.Stderr, w.text(console.Style(r.program.Terminal.Colour), time.Now(), true))
		if !r.program.Attended() {
			r.say("This command is in the background: bring it to the foreground to answer, or: betcode permission list")
		}
		return
	}
	r.say("Waiting for an answer to %s from another client: betcode permission list", console.ShortID(w.id()))
}

func (r *unattended) answer(l line) {
	w := r.inbox.head()
	switch {
	case w == nil:
		return
	case l.tooLong || !l.deliberate(w, r.shown):
		r.say("%s", notDeliberate)
		return
	}
	request, complaint := r.inbox.answer(l.text)
	if complaint != "" {
		r.say("%s", complaint)
	}
	if request != nil {
		r.conv.Send(request)
	}
	if request != nil && r.inbox.head() != nil {
		r.ask()
	}
}

// look asks how the session stands when no event will say so: a message can be
// settled without a turn of its own.
func (r *unattended) look(ctx context.Context) error {
	r.turn.mayBeOver = false
	view, err := r.client.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: r.conv.Session()})
	if client.Unreachable(err) {
		return nil // the conversation will say more
	}
	if err != nil {
		return err
	}
	r.turn.stands(view)
	return nil
}

// ended explains why the conversation cannot go on.
func (r *unattended) ended(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return exit.With(exit.Failed, errors.New("the session was closed before the turn was over"))
	case client.Unreachable(err):
		return exit.With(exit.Connection, fmt.Errorf(
			"the daemon went away and did not come back. The session is kept: start a daemon, then 'betcode session attach %s'", r.conv.Session()))
	}
	return err
}

func cancelRequest() *pb.AgentRequest {
	return &pb.AgentRequest{Request: &pb.AgentRequest_Cancel{Cancel: &pb.CancelRequest{Reason: "interrupted by the user"}}}
}
