package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/sessionstate"
	"betcode/config"
	"betcode/messages/visible"
	pb "betcode/proto/betcode/v1"
)

func (p group) waitCommand() *cli.Command {
	return &cli.Command{
		Name: "wait", Usage: "wait until a session is idle, waits for a person, or has written a text", ArgsUsage: "SESSION",
		Description: "--for idle      nothing is left to do\n" +
			"      waiting   a person is to answer\n" +
			"      done      one of these two, or its agent cannot run (the default)\n" +
			"      text=TEXT the agent writes TEXT after the wait has begun\n\n" +
			"Prints the state. Ends with 0 when it is reached; with 1 if the session can no longer reach it, because its agent\n" +
			"cannot run or a person has to answer first; with 2 after --timeout; with 6 if the session is deleted.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "for", Usage: "`WHAT` to wait for: idle, waiting, done or text=TEXT", Value: "done"},
			&cli.StringFlag{Name: "timeout", Usage: "give up after `LONG`, for example 10m (default: never)"},
		},
		Action: p.WithClient(1, 1, p.waitSession),
	}
}

// verdict is the effect of a state on a wait.
type verdict int

const (
	goOn verdict = iota
	reached
	hopeless
)

// judge decides whether the state of a session ends the wait.
func judge(wanted string, name sessionstate.Name) verdict {
	rests := name == sessionstate.Idle || name == sessionstate.Stopped
	switch {
	case wanted == "idle" && rests, wanted == "waiting" && name == sessionstate.Waiting:
		return reached
	case wanted == "done" && (rests || name == sessionstate.Waiting || name == sessionstate.Blocked):
		return reached
	case name == sessionstate.Blocked, wanted == "idle" && name == sessionstate.Waiting, wanted != "idle" && rests:
		return hopeless
	}
	return goOn
}

func (p group) waitSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	wanted := c.String("for")
	text, isText := strings.CutPrefix(wanted, "text=")
	if !isText && wanted != "idle" && wanted != "waiting" && wanted != "done" || isText && text == "" {
		return exit.Usage(fmt.Errorf("--for %s: it is idle, waiting, done or text=TEXT", console.Line(wanted)))
	}
	if !isText {
		text = ""
	}
	if given := c.String("timeout"); given != "" {
		limit, err := config.ParseDuration(given)
		if err != nil || limit <= 0 {
			return exit.Usage(fmt.Errorf("--timeout %q: give how long to wait, for example 90s or 10m", given))
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	w := waiter{group: p, client: cl, ref: c.Args().First(), wanted: wanted, text: text}
	err := w.run(ctx)
	// A call may end at its deadline an instant before the context does.
	if c.String("timeout") != "" && (errors.Is(ctx.Err(), context.DeadlineExceeded) || status.Code(err) == codes.DeadlineExceeded) {
		return exit.With(exit.Connection, fmt.Errorf("wait for session %s: it is %s after %s%s",
			console.Line(w.ref), cmp.Or(string(w.last.Name), "in an unknown state"), c.String("timeout"), w.unsaid("")))
	}
	return err
}

// waiter waits for one session. It reads the state after each event of the session, and once a second, because states also change
// without an event, such as a place in the queue.
type waiter struct {
	group
	client       *client.Client
	ref          string
	wanted, text string
	last         sessionstate.State
}

func (w *waiter) run(ctx context.Context) error {
	view, err := w.client.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: w.ref})
	if err != nil {
		return err
	}
	w.ref = view.GetSummary().GetId()
	if done, err := w.look(view); done {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := w.client.Agent.ResumeSession(ctx, &pb.ResumeSessionRequest{SessionId: w.ref, FromSequence: view.GetHead(), Follow: true})
	if err != nil {
		return err
	}
	events := make(chan *pb.AgentEvent)
	ended := make(chan error, 1)
	go func() {
		for {
			e, err := stream.Recv()
			if err != nil {
				ended <- err
				return
			}
			select {
			case events <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	said := ""
	for {
		select {
		case e := <-events:
			if delta := e.GetTextDelta(); w.text != "" && delta != nil {
				said += delta.GetText()
				if strings.Contains(said, w.text) {
					_, err := fmt.Fprintln(w.Stdout, "text")
					return err
				}
				said = said[max(0, len(said)-len(w.text)):] // a text may be in two parts
			}
			if e.GetTextDelta() != nil {
				continue
			}
		case err := <-ended:
			if errors.Is(err, io.EOF) {
				return exit.With(exit.NotFound, fmt.Errorf("wait for session %s: it was closed", w.ref))
			}
			return err
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		view, err := w.client.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: w.ref})
		if err != nil {
			return err
		}
		if done, err := w.look(view); done {
			return err
		}
	}
}

// look judges the state. done means that the wait is over.
func (w *waiter) look(view *pb.ShowSessionResponse) (done bool, err error) {
	w.last = StateOf(view)
	wanted := w.wanted
	if w.text != "" {
		wanted = "text"
	}
	switch judge(wanted, w.last.Name) {
	case reached:
		_, err := fmt.Fprintln(w.Stdout, w.last.Name)
		return true, err
	case hopeless:
		why := ""
		if w.last.Reason != "" {
			why = ": " + w.last.Reason
		}
		return true, exit.With(exit.Failed, fmt.Errorf("wait for session %s: it is %s%s%s",
			console.ShortID(w.ref), w.last.Name, why, w.unsaid(". See 'betcode session show "+console.ShortID(w.ref)+"'")))
	case goOn:
	}
	return false, nil
}

// unsaid reports that the agent has not written the text, and how to search earlier output. Without a text it returns otherwise.
func (w *waiter) unsaid(otherwise string) string {
	if w.text == "" {
		return otherwise
	}
	text := console.Shorten(w.text, 80)
	return fmt.Sprintf(", and the agent has not written %q since the wait began. To search what it wrote before: betcode search --session %s %s",
		text, console.ShortID(w.ref), visible.ShellWord(text))
}
