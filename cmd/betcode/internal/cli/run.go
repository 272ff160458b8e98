package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/chat"
	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/cli/session"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/talk"
	pb "betcode/proto/betcode/v1"
)

func (p *program) chatCommand() *cli.Command {
	return &cli.Command{
		Name: "chat", Usage: "talk to the agent",
		Description: chat.Help,
		Flags: append(session.Flags(),
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show thinking, subagents and processes too"}, session.PlainFlag(), session.TakeLockFlag()),
		Action: func(c *cli.Context) error {
			if err := base.Arguments(c, 0, 0); err != nil {
				return err
			}
			cl, _, err := p.Connect(c.Context, c)
			if err != nil {
				return err
			}
			defer cl.Close()
			o, err := session.OpenChat(c.Context, p.Program, c, cl)
			if err != nil {
				return err
			}
			return session.Talk(p.Program, c, cl, o)
		},
	}
}

func (p *program) runCommand() *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "give the agent one prompt and wait for its answer",
		ArgsUsage: "PROMPT",
		Description: "The prompt is the argument, standard input if that is '-' or missing, or a file (--file).\n" +
			"The answer goes to standard output, everything else to standard error.\n\n" +
			"--output-format text         the agent's final answer\n" +
			"                json         one object: betcode.run/v2\n" +
			"                stream-json  every event as it comes, one object per line:\n" +
			"                             betcode.v1.AgentEvent in the JSON mapping of protobuf\n\n" +
			"--permissions ask    on the terminal; without one, wait for an answer by\n" +
			"                     'betcode permission' or from another client\n" +
			"              allow  allow every request\n" +
			"              deny   deny every request; the command then ends with 3\n" +
			"The default is ask on a terminal and deny without one. Questions of the agent are\n" +
			"declined by allow and deny.\n\n" +
			"--repeat has the daemon send the prompt again after each turn, with directions to answer\n" +
			"DONE when everything is done: until the whole answer is DONE, the turn fails, or the\n" +
			"number of prompts is reached (50, or --repeat=N). The daemon goes on when this command has ended;\n" +
			"'betcode session cancel' ends it.\n\n" +
			"Ctrl-C interrupts the turn; a second one leaves, and the agent goes on.",
		Flags: append(session.Flags(),
			&cli.StringFlag{Name: "file", Aliases: []string{"f"}, Usage: "`PATH` of a file with the prompt"},
			&cli.StringFlag{Name: "output-format", Aliases: []string{"o"}, Value: "text", Usage: "`FORMAT`: text, json or stream-json"},
			&cli.StringFlag{Name: "permissions", Usage: "`WHO` decides: ask, allow or deny"},
			newRepeatFlag(),
			&cli.StringFlag{Name: "until", Usage: "with --repeat: the `WORD` that ends it (DONE)"},
			&cli.BoolFlag{Name: "detach", Aliases: []string{"d"}, Usage: "print the id of the session when the prompt is accepted, and do not wait"},
			&cli.StringSliceFlag{Name: "attach", Usage: "send `FILE` with the prompt; may be given several times"},
			session.TakeLockFlag(),
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
	policy, err := talk.ParsePolicy(p.Console, c.String("permissions"), fromStdin)
	if err != nil {
		return err
	}
	out, err := talk.NewOutput(p.Console, c.String("output-format"), c.Bool("verbose"))
	if err != nil {
		return err
	}
	repeat, err := repeatOf(c)
	if err != nil {
		return err
	}
	if c.Bool("detach") && (c.IsSet("output-format") || c.IsSet("permissions")) {
		return exit.Usage(errors.New("--detach contradicts --output-format and --permissions: nothing waits for the answer"))
	}
	files, err := attachments(c.StringSlice("attach"))
	if err != nil {
		return err
	}
	cl, cfg, err := p.Connect(c.Context, c)
	if err != nil {
		return err
	}
	defer cl.Close()
	o, err := session.Open(c.Context, p.Program, c, cl)
	if err != nil {
		return err
	}
	if o.Head > 0 { // the history is not shown
		o.Start.History, o.Start.FromSequence = pb.HistoryPolicy_HISTORY_POLICY_FROM_SEQUENCE, o.Head
	}
	return talk.Run(c.Context, p.Console, cl, o, talk.RunOptions{
		Prompt: prompt, Policy: policy, Output: out, MaxOutage: max(cfg.ConnectTimeout, time.Second), Repeat: repeat,
		Attachments: files, TakeLock: c.Bool("take-lock"), Detach: c.Bool("detach"),
	})
}

// prompt reads the prompt from the arguments, a file or standard input. If it came from standard input, no person can be
// asked there.
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
