package permission

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/talk"
	pb "betcode/proto/betcode/v1"
)

func (p group) showPermission(ctx context.Context, c *cli.Context, cl *client.Client) (output.View, error) {
	list, err := cl.Admin.ListPermissions(ctx, &pb.ListPermissionsRequest{})
	if err != nil {
		return output.View{}, err
	}
	r, err := findPending(list.GetPermissions(), c.Args().First())
	if err != nil {
		return output.View{}, err
	}
	return output.View{
		Schema: "betcode.permission/v1", Value: r, Name: "request_id",
		Text: func(w io.Writer, l output.Look) error { return writePermission(w, l, r) },
	}, nil
}

// writePermission writes a request with its whole input, because a person decides about it, and how to answer.
func writePermission(w io.Writer, l output.Look, r *pb.PendingPermission) error {
	session := r.GetSessionId()
	if r.GetSessionName() != "" {
		session += " (" + r.GetSessionName() + ")"
	}
	fmt.Fprintf(w, "request  %s\nsession  %s\n", r.GetRequestId(), console.Line(session))
	if parent := r.GetParentSessionId(); parent != "" {
		fmt.Fprintf(w, "of       %s\n", parent)
	}
	if at := r.GetReceivedAt(); at != nil {
		fmt.Fprintf(w, "asked    %s (%s)\n", console.Exact(at), console.Ago(at, l.Now))
	}
	if until := r.GetExpiresAt(); until != nil {
		fmt.Fprintf(w, "expires  %s (in %s)\n", console.Exact(until), console.Span(max(until.AsTime().Sub(l.Now), time.Second)))
	}
	id := console.ShortID(r.GetRequestId())
	if len(r.GetQuestions()) > 0 {
		for _, q := range r.GetQuestions() {
			fmt.Fprint(w, talk.QuestionText(q, l.Style(), l.Now))
		}
		_, err := fmt.Fprintf(w, "Answer: betcode permission answer %s%s, or betcode permission deny %s\n", id, strings.Repeat(" ANSWER", len(r.GetQuestions())), id)
		return err
	}
	fmt.Fprint(w, talk.RequestText(r.GetToolName(), r.GetInput(), r.GetDescription(), l.Style(), l.Now))
	_, err := fmt.Fprintf(w, "Answer: betcode permission allow %s, or betcode permission deny %s -m TEXT\n", id, id)
	return err
}
