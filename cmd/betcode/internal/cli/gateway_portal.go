package cli

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/urfave/cli/v2"
	"google.golang.org/protobuf/types/known/timestamppb"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/gateways"
	"betcode/cmd/betcode/internal/output"
	"betcode/cmd/betcode/internal/statedir"
	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// codeLifetime is how long a code for a login counts.
const codeLifetime = 10 * time.Minute

func (p *program) portalCommand() *cli.Command {
	return &cli.Command{
		Name: "portal", Usage: "serve pages of the portal: WebSockets and their HTTP API",
		Description: "It prints its address when browsers may connect, and works until SIGINT or SIGTERM. People log in with a code of\n" +
			"'gateway pair'. Their logins are tokens of the daemon: 'token list' shows them, 'token revoke' ends them.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:3000", Usage: "`HOST:PORT` for browsers; beyond this machine it needs TLS"},
			&cli.StringFlag{Name: "url", Usage: "the `URL` at which browsers reach it, if another server is in front of it"},
			&cli.StringFlag{Name: "tls-cert", Usage: "`FILE` with the certificate"},
			&cli.StringFlag{Name: "tls-key", Usage: "`FILE` with its key"},
			&cli.StringFlag{Name: "pages", Usage: "`DIRECTORY` with the files of the page"},
			&cli.StringFlag{Name: "lifetime", Value: "7d", Usage: "how `LONG` a login counts"},
			&cli.StringFlag{Name: "uploads", Usage: "`DIRECTORY` for files that pages send (default: one in the state directory)"},
			&cli.StringFlag{Name: "recogniser-command", Usage: "`PROGRAM` and its arguments, between blanks: it gets speech on its standard input and writes text"},
			&cli.StringFlag{Name: "recogniser-url", Usage: "`URL` to which speech is posted, and that answers with text: https, or http on this machine"},
			&cli.IntFlag{Name: "max-proxies", Value: 256, Usage: "the `NUMBER` of proxies that may be connected"},
			&cli.BoolFlag{Name: "dev", Usage: "serve everybody on this machine as you, without logins"},
		},
		Action: p.servePortal,
	}
}

func (p *program) pairCommand() *cli.Command {
	return &cli.Command{
		Name: "pair", Usage: "make a code with which a browser logs in to the portal", ArgsUsage: "NAME",
		Description: "NAME is the name of the person or the device. The code works once, within 10 minutes; the login has the scopes of the code.",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "scope", Usage: "a right of the login: `SCOPE` is view, approve, control or admin; may be given several times (required)"},
			&cli.BoolFlag{Name: "shared", Usage: "the login sees only sessions that 'gateway share' has shared with NAME"},
		}, output.OnceFlags()...),
		Before: base.Needs("scope"),
		Action: p.WithClient(1, 1, p.pair),
	}
}

func (p *program) pair(ctx context.Context, c *cli.Context, cl *client.Client) error {
	name := c.Args().First()
	options, err := output.Parse(c)
	if err != nil {
		return err
	}
	if len(name) > 32 {
		return exit.Usage(fmt.Errorf("the name %q has more than 32 characters", name))
	}
	made, err := cl.Access.CreateAccessToken(ctx, &pb.CreateAccessTokenRequest{
		Name: gateways.CodePrefix + name + "-" + uuid.NewString()[:8], Person: name, Scopes: c.StringSlice("scope"), Shared: c.Bool("shared"),
		ExpiresAt: timestamppb.New(time.Now().Add(codeLifetime)),
	})
	if err != nil {
		return err
	}
	return output.Printer{Console: p.Console, Options: options}.Print(p.secretView("betcode.gateway.pair/v1", made, made.GetToken(), made.GetSecret(),
		fmt.Sprintf("Enter it at /api/auth/login of the portal within %s. It works once, and lets the browser %s.", codeLifetime, strings.Join(made.GetToken().GetScopes(), ", "))))
}

func (p *program) shareCommand() *cli.Command {
	return &cli.Command{
		Name: "share", Usage: "share a session with a person whose logins see only what is shared", ArgsUsage: "SESSION NAME",
		Description: "NAME is the one that 'gateway pair --shared' was given. The role counts at once, for all logins of that person.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "role", Value: "viewer", Usage: "`ROLE` is viewer, editor, or none to end it"},
		},
		Action: p.WithClient(2, 2, p.share),
	}
}

func (p *program) share(ctx context.Context, c *cli.Context, cl *client.Client) error {
	session, person, role := c.Args().Get(0), c.Args().Get(1), c.String("role")
	if role == "none" {
		_, err := cl.Access.UnshareSession(ctx, &pb.UnshareSessionRequest{SessionId: session, Person: person})
		return err
	}
	_, err := cl.Access.ShareSession(ctx, &pb.ShareSessionRequest{SessionId: session, Person: person, Role: role})
	return err
}

func (p *program) proxyTokenCommand() *cli.Command {
	return &cli.Command{
		Name: "token", Usage: "make a token with which a proxy of the portal registers sessions",
		Description: "Writes a JWT, once, for 'claude-portal --backend-url ws://HOST:PORT --auth-token TOKEN'. With --url it writes the\n" +
			"address that 'claude-portal --init' takes instead. The token lets a proxy register sessions, and do nothing else. 'token list' shows it,\n" +
			"'token revoke' ends it.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "name", Value: "proxy", Usage: "what people call it: a `NAME`"},
			&cli.UintFlag{Name: "days", Value: 30, Usage: "for how many `DAYS` it is valid, at most 366"},
			&cli.StringFlag{Name: "url", Usage: "the `URL` of the portal"},
		}, output.OnceFlags()...),
		Action: p.WithClient(0, 0, p.proxyToken),
	}
}

func (p *program) proxyToken(ctx context.Context, c *cli.Context, cl *client.Client) error {
	days := c.Uint("days")
	if days < 1 || days > 366 {
		return exit.Usage(fmt.Errorf("days %d: give 1 to 366", days))
	}
	options, err := output.Parse(c)
	if err != nil {
		return err
	}
	made, err := cl.Access.CreateProxyToken(ctx, &pb.CreateProxyTokenRequest{Title: c.String("name"), Days: uint32(days)}) //nolint:gosec // at most 366
	if err != nil {
		return err
	}
	written := made.GetSecret()
	if url := c.String("url"); url != "" {
		written = gateways.InitURL(strings.TrimRight(url, "/"), written)
	}
	return output.Printer{Console: p.Console, Options: options}.Print(p.secretView("betcode.gateway.token/v1", made, made.GetToken(), written,
		fmt.Sprintf("It is the token %s, valid for %s, and is shown once. A reader of it may register sessions here.", made.GetToken().GetName(), console.Count(int64(days), "day")))) //nolint:gosec // at most 366
}

// servePortal serves pages until a signal ends it.
func (p *program) servePortal(c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	lifetime, err := config.ParseDuration(c.String("lifetime"))
	if err != nil || lifetime <= 0 {
		return exit.Usage(fmt.Errorf("lifetime %q: give how long a login counts, for example 12h or 7d", c.String("lifetime")))
	}
	if c.Int("max-proxies") < 1 {
		return exit.Usage(fmt.Errorf("--max-proxies is at least 1, not %d", c.Int("max-proxies")))
	}
	if (c.String("tls-cert") == "") != (c.String("tls-key") == "") {
		return exit.Usage(fmt.Errorf("--tls-cert and --tls-key belong together"))
	}
	ctx, stop := signal.NotifyContext(c.Context, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	cl, cfg, err := p.Connect(ctx, c) // a daemon must be there when the gateway begins
	if err != nil {
		return err
	}
	if err := cl.Close(); err != nil {
		return err
	}
	uploads, err := p.portalUploads(c, cfg)
	if err != nil {
		return err
	}
	return gateways.Portal(ctx, gateways.PortalOptions{
		Uploads: uploads,
		Listen:  c.String("listen"), URL: c.String("url"), Cert: c.String("tls-cert"), Key: c.String("tls-key"), Pages: c.String("pages"),
		Command: c.String("recogniser-command"), Speech: c.String("recogniser-url"),
		MaxProxies: c.Int("max-proxies"), Dev: c.Bool("dev"), Lifetime: lifetime, Version: p.Build.Version, Daemon: cfg, Ready: p.Stdout, Log: p.Stderr,
	})
}

// portalUploads returns the directory for files of pages.
func (p *program) portalUploads(c *cli.Context, cfg config.Client) (string, error) {
	if c.String("uploads") != "" {
		return filepath.Abs(c.String("uploads"))
	}
	state := p.StateDirectory(c, cfg)
	if state == "" {
		return "", exit.Usage(errors.New("the portal runs on the daemon's machine: leave --address out"))
	}
	return filepath.Join(statedir.Proxies(state), "portal", "uploads"), nil
}
