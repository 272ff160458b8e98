package cli

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/proto"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	pb "betcode/proto/betcode/v1"
)

func (p *program) auditCommand() *cli.Command {
	return &cli.Command{
		Name: "audit", Usage: "show decisions, connections and refusals",
		Description: "The audit log is files of JSON lines in the directory audit of the state directory, which can be\n" +
			"read without a daemon.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "only entries since `TIME`: how long ago (36h, 7d) or a date (2026-11-21, 2026-11-21T20:00:00Z)"},
			&cli.StringSliceFlag{Name: "type", Usage: "only entries of `TYPE`, for example permission_grant; may be given several times"},
			&cli.StringFlag{Name: "session", Aliases: []string{"r"}, Usage: "only entries of `SESSION`"},
		}, output.StreamFlags()...),
		Action: p.Streams(0, 0, auditStream, p.audit),
	}
}

func (p *program) audit(ctx context.Context, c *cli.Context, cl *client.Client, show func(proto.Message) error) error {
	since, err := base.Time("since", c.String("since"), time.Now())
	if err != nil {
		return exit.Usage(err)
	}
	stream, err := cl.Access.ListAudit(ctx, &pb.ListAuditRequest{Since: since, EventTypes: c.StringSlice("type"), SessionId: c.String("session")})
	if err != nil {
		return err
	}
	return client.Each(stream, func(e *pb.AuditEntry) error { return show(e) })
}

func auditStream(*cli.Context) output.Stream {
	return output.Stream{
		Entry: &pb.AuditEntry{}, Name: "event_id",
		Columns: []console.Column{{Title: "TIME", Whole: true}, {Title: "TYPE"}, {Title: "WHO"}, {Title: "SESSION", Whole: true}, {Title: "WHAT", Text: true}, {Title: "OUTCOME"}},
		Row:     func(e proto.Message, l output.Look) []string { return auditRow(e.(*pb.AuditEntry), l) },
	}
}

func auditRow(e *pb.AuditEntry, l output.Look) []string {
	at, id := console.Exact(e.GetCreatedAt()), e.GetActorId()
	if l.Person {
		at, id = e.GetCreatedAt().AsTime().Local().Format(time.DateTime), console.Client(id)
	}
	who := e.GetActorType()
	if id != "" {
		who += " " + id
	}
	if ip := e.GetClientIp(); ip != "" {
		who += " from " + ip
	}
	return []string{at, e.GetEventType(), who, l.ID(e.GetSessionId()), auditWords(e), e.GetOutcome()}
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
