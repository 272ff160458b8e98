package cli

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	pb "betcode/proto/betcode/v1"
)

func (p *program) auditCommand() *cli.Command {
	return &cli.Command{
		Name: "audit", Usage: "show decisions, connections and refusals",
		Description: "The audit log is files of JSON lines in the directory audit of the state directory, which can be\n" +
			"read without a daemon.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "only entries since `TIME`: how long ago (36h, 7d) or a date (2026-11-21, 2026-11-21T20:00:00Z)"},
			&cli.StringSliceFlag{Name: "type", Usage: "only entries of `TYPE`, for example permission_grant; may be given several times"},
			&cli.StringFlag{Name: "session", Aliases: []string{"r"}, Usage: "only entries of `SESSION`"},
			&cli.BoolFlag{Name: "json", Usage: "as JSON, a line for each entry"},
		},
		Action: p.WithClient(0, 0, p.audit),
	}
}

func (p *program) audit(ctx context.Context, c *cli.Context, cl *client.Client) error {
	since, err := base.Time("since", c.String("since"), time.Now())
	if err != nil {
		return exit.Usage(err)
	}
	stream, err := cl.Access.ListAudit(ctx, &pb.ListAuditRequest{Since: since, EventTypes: c.StringSlice("type"), SessionId: c.String("session")})
	if err != nil {
		return err
	}
	header := []string{"TIME", "TYPE", "WHO", "SESSION", "WHAT", "OUTCOME"}
	t := p.Table(header...)
	err = client.Each(stream, func(e *pb.AuditEntry) error {
		if c.Bool("json") {
			object, err := console.MessageObject(e)
			if err != nil {
				return err
			}
			return console.WriteValue(p.Stdout, object, "")
		}
		t.Add(p.auditRow(e)...)
		if p.Terminal.Out {
			return nil
		}
		all := t // there may be millions: a program gets each entry as it comes
		t = p.Table(header...)
		return all.Write(p.Stdout)
	})
	if err != nil {
		return err
	}
	return t.Write(p.Stdout)
}

func (p *program) auditRow(e *pb.AuditEntry) []string {
	at, session, id := console.Exact(e.GetCreatedAt()), e.GetSessionId(), e.GetActorId()
	if p.Terminal.Out {
		at, session, id = e.GetCreatedAt().AsTime().Local().Format(time.DateTime), console.ShortID(session), console.Client(id)
	}
	who := e.GetActorType()
	if id != "" {
		who += " " + id
	}
	if ip := e.GetClientIp(); ip != "" {
		who += " from " + ip
	}
	return []string{at, e.GetEventType(), who, session, auditWords(e), e.GetOutcome()}
}

// auditWords summarises an entry on one line.
func auditWords(e *pb.AuditEntry) string {
	var words []string
	for _, w := range []string{e.GetToolName(), e.GetInputPreview(), e.GetErrorCode(), e.GetErrorMessage()} {
		if w != "" {
			words = append(words, w)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(e.GetContext())) {
		words = append(words, key+"="+e.GetContext()[key])
	}
	return strings.Join(words, " ")
}
