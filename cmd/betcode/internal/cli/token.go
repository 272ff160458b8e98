package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/output"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

func (p *program) tokenCommand() *cli.Command {
	return &cli.Command{
		Name: "token", Usage: "manage tokens of callers over TCP",
		Description: "A daemon with --listen serves callers with a token. Its scopes are their rights: view, approve (answer permission\n" +
			"requests), control (write, start and stop sessions), admin (everything, and the daemon).",
		Subcommands: []*cli.Command{
			{
				Name: "create", Usage: "make a token", ArgsUsage: "NAME",
				Description: "Writes the secret once, to standard output or to a new file that other users cannot read.",
				Flags: append([]cli.Flag{
					&cli.StringSliceFlag{Name: "scope", Usage: "a right of the token: `SCOPE` is view, approve, control or admin; may be given several times (required)"},
					&cli.StringFlag{Name: "expires", Usage: "how `LONG` it is valid, for example 30d (default: until it is revoked)"},
					&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the secret to the new `FILE`"},
				}, output.JSONFlags()...),
				Before: base.Needs("scope"),
				Action: p.WithClient(1, 1, p.tokenCreate),
			},
			{
				Name: "list", Usage: "list the tokens, without their secrets",
				Flags: output.ListFlags(), Action: p.Shows(0, 0, p.tokenList),
			},
			{
				Name: "revoke", Usage: "end a token and its streams at once", ArgsUsage: "NAME",
				Action: p.WithClient(1, 1, p.tokenRevoke),
			},
		},
	}
}

func (p *program) tokenCreate(ctx context.Context, c *cli.Context, cl *client.Client) error {
	request := &pb.CreateAccessTokenRequest{Name: c.Args().First(), Scopes: c.StringSlice("scope")}
	if text := c.String("expires"); text != "" {
		left, err := config.ParseDuration(text)
		if err != nil || left <= 0 {
			return exit.Usage(fmt.Errorf("expires %q: give how long the token is valid, for example 12h or 30d", text))
		}
		request.ExpiresAt = timestamppb.New(time.Now().Add(left))
	}
	path, options := c.String("output"), output.Options{}
	if path == "" {
		var err error
		if options, err = output.Parse(c); err != nil {
			return err
		}
	} else {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return exit.Usage(fmt.Errorf("write token: %s exists; name a new file", path))
		}
	}
	made, err := cl.Access.CreateAccessToken(ctx, request)
	if err != nil {
		return err
	}
	switch {
	case path != "":
		if err := writeSecret(path, made.GetSecret()); err != nil {
			return errors.Join(err, p.takeBack(ctx, cl, request.GetName()))
		}
		fmt.Fprintf(p.Stderr, "The token %s is in %s.\n", request.GetName(), path)
	default:
		return output.Printer{Console: p.Console, Options: options}.Print(p.secretView("betcode.token.create/v1", made, made.GetToken(), made.GetSecret(),
			"The secret is shown once. Keep it in a file that other users cannot read, and name the file with --token-file."))
	}
	return nil
}

// secretView shows a secret once: alone on standard output, with a remark for a person beside it.
func (p *program) secretView(schema string, made proto.Message, token *pb.AccessToken, secret, remark string) output.View {
	return output.View{
		Schema: schema, Value: made, Name: "name", Added: []output.Member{{Name: "name", Value: func(int) any { return token.GetName() }}},
		Text: func(w io.Writer, _ output.Look) error {
			if _, err := fmt.Fprintln(w, secret); err != nil {
				return err
			}
			p.Say("%s", remark)
			return nil
		},
	}
}

// takeBack revokes a token whose secret could not be written.
func (p *program) takeBack(ctx context.Context, cl *client.Client, name string) error {
	_, err := cl.Access.RevokeAccessToken(ctx, &pb.RevokeAccessTokenRequest{Name: name})
	return err
}

func writeSecret(path, secret string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write token: %w", err)
	}
	_, err = file.WriteString(secret + "\n")
	return errors.Join(err, file.Close())
}

func (p *program) tokenList(ctx context.Context, _ *cli.Context, cl *client.Client) (output.View, error) {
	list, err := cl.Access.ListAccessTokens(ctx, &pb.ListAccessTokensRequest{})
	return output.View{
		Schema: "betcode.token.list/v1", Value: list, List: "tokens", Name: "name", Columns: console.Columns("NAME", "SCOPES", "CREATED", "LAST USED", "EXPIRES"),
		Row: func(i int, l output.Look) []string {
			token := list.GetTokens()[i]
			expires := console.Exact(token.GetExpiresAt())
			if l.Person {
				expires = expiry(token.GetExpiresAt(), l.Now)
			}
			return []string{token.GetName(), strings.Join(token.GetScopes(), ","), l.When(token.GetCreatedAt()), l.When(token.GetLastUsedAt()), expires}
		},
	}, err
}

// expiry returns how long a token is still valid, for a person.
func expiry(t *timestamppb.Timestamp, now time.Time) string {
	switch {
	case t == nil:
		return "never"
	case !now.Before(t.AsTime()):
		return "expired"
	}
	return "in " + console.Span(t.AsTime().Sub(now))
}

func (p *program) tokenRevoke(ctx context.Context, c *cli.Context, cl *client.Client) error {
	_, err := cl.Access.RevokeAccessToken(ctx, &pb.RevokeAccessTokenRequest{Name: c.Args().First()})
	return err
}
