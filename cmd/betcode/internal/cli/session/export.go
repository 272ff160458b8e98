package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/offline"
	"betcode/cmd/betcode/internal/render"
	pb "betcode/proto/betcode/v1"
)

const exportSchema = "betcode.session.export/v1"

func (p group) exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write the whole history of a session, as JSON lines or Markdown", ArgsUsage: "SESSION",
		Description: "Writes everything that the journal still has, including compacted history. The first JSON line is the\n" +
			"session, each other line is an event. Missing sequences were removed by retention; a notice\n" +
			"HISTORY_DAMAGED stands for damaged events.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "jsonl", Usage: "as `FORMAT`: jsonl or markdown"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`, which must not exist"},
			&cli.StringFlag{Name: "state-dir", Usage: "read the journal in this state `DIRECTORY`; no daemon may be using it"},
			&cli.StringFlag{Name: "backup", Usage: "read the backup in this `DIRECTORY`"},
		},
		Action: base.Simple(p.exportSession),
	}
}

func (p group) exportSession(ctx context.Context, c *cli.Context) (err error) {
	if err := base.Arguments(c, 1, 1); err != nil {
		return err
	}
	var to offline.Sink
	out := &delayedFile{path: c.String("output"), otherwise: p.Stdout}
	switch format := c.String("format"); format {
	case "jsonl":
		to = jsonLines{out}
	case "markdown", "md":
		to = render.NewMarkdown(out)
	default:
		return exit.Usage(fmt.Errorf("--format %s: it is jsonl or markdown", format))
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	directory, err := base.JournalDirectory(c)
	if err != nil {
		return err
	}
	if directory != "" {
		return offline.Export(ctx, directory, c.Args().First(), to)
	}
	return p.Connected(ctx, c, func(cl *client.Client) error { return exportOver(ctx, cl, c.Args().First(), to) })
}

// exportOver exports a session of the daemon.
func exportOver(ctx context.Context, cl *client.Client, ref string, to offline.Sink) error {
	view, err := base.ShowSession(ctx, cl, ref)
	if err != nil {
		return err
	}
	stream, err := cl.Admin.ExportSession(ctx, &pb.ExportSessionRequest{SessionId: view.GetSummary().GetId()})
	if err != nil {
		return err
	}
	if err := to.Session(view); err != nil {
		return err
	}
	if err := client.Each(stream, to.Event); err != nil {
		return err
	}
	return to.End()
}

// jsonLines is the export for programs: nothing is left out.
type jsonLines struct{ w io.Writer }

func (j jsonLines) Session(view *pb.ShowSessionResponse) error {
	session, err := console.MessageJSON(view)
	if err != nil {
		return err
	}
	return console.WriteValue(j.w, map[string]any{"schema": exportSchema, "exported_at": time.Now().UTC().Format(time.RFC3339), "session": session}, "")
}

func (j jsonLines) Event(e *pb.AgentEvent) error {
	object, err := console.MessageJSON(e)
	if err != nil {
		return err
	}
	return console.WriteValue(j.w, object, "")
}

func (jsonLines) End() error { return nil }

// delayedFile is created with its first byte, so that an export of an unknown session leaves no file.
type delayedFile struct {
	path      string
	otherwise io.Writer // used if path is empty
	file      *os.File
}

// Write implements io.Writer.
func (f *delayedFile) Write(b []byte) (int, error) {
	if f.path == "" {
		return f.otherwise.Write(b)
	}
	if f.file == nil {
		file, err := os.OpenFile(f.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return 0, err
		}
		f.file = file
	}
	return f.file.Write(b)
}

// Close implements io.Closer.
func (f *delayedFile) Close() error {
	if f.file == nil {
		return nil
	}
	return errors.Join(f.file.Sync(), f.file.Close())
}

func (p group) rawCommand() *cli.Command {
	return &cli.Command{
		Name: "raw", Usage: "print the output of an agent process unchanged", ArgsUsage: "SESSION",
		Description: "Prints the lines of JSON that the process has written so far. Each process of a session is a run, counted from 1.",
		Flags:       []cli.Flag{&cli.Uint64Flag{Name: "run", Usage: "of run `N` (default: the newest)"}},
		Action:      p.WithClient(1, 1, p.rawSession),
	}
}

func (p group) rawSession(ctx context.Context, c *cli.Context, cl *client.Client) error {
	id, err := base.Resolve(ctx, cl, c.Args().First())
	if err != nil {
		return err
	}
	stream, err := cl.Admin.RawOutput(ctx, &pb.RawOutputRequest{SessionId: id, Run: c.Uint64("run")})
	if err != nil {
		return err
	}
	return client.Each(stream, func(piece *pb.RawOutputResponse) error {
		_, err := p.Stdout.Write(piece.GetData())
		return err
	})
}
