package cli

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/google/uuid"
	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/cli/session"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/exit"
	"betcode/cmd/betcode/internal/gateways"
	"betcode/cmd/betcode/internal/secret"
	pb "betcode/proto/betcode/v1"
)

// portalToken is the variable with a token for a portal.
const portalToken = "PORTAL_AUTH_TOKEN"

func (p *program) proxyCommand() *cli.Command {
	return &cli.Command{
		Name: "proxy", Usage: "register a session at somebody else's portal: people there see it, prompt it and answer its requests",
		Description: "It prints the session's id when the portal has registered it, and works until SIGINT or SIGTERM, or until the\n" +
			"portal ends the session. The session lives in the daemon: what it writes while the portal is away is sent later.\n\n" +
			"The token comes from --auth-token-file, --auth-token, " + portalToken + ", --init, or the last 'proxy login'.",
		Flags: append(backendFlags(),
			&cli.StringFlag{Name: "init", Usage: "`URL` from the portal's page, with its address and a token"},
			&cli.StringFlag{Name: "auth-token-file", Usage: "`FILE` with a token of the portal"},
			&cli.StringFlag{Name: "auth-token", Usage: "a `TOKEN` of the portal; other users see it in the list of processes"},
			&cli.StringFlag{Name: "session", Usage: "register `SESSION`: an id, its beginning, a name, or @last"},
			&cli.BoolFlag{Name: "new", Usage: "register a new session"},
			&cli.StringFlag{Name: "cwd", Usage: "`DIRECTORY` where the agent of a new session works (default: this one)"},
			&cli.StringFlag{Name: "session-name", Usage: "`NAME` of the session at the portal (default: its name here)"},
			&cli.StringFlag{Name: "generation", Value: "g3", Usage: "speak as a proxy of `GENERATION` g1 (1.0), g2 (2.0 to 2.4) or g3 (2.13)"},
			&cli.BoolFlag{Name: "read-only", Usage: "show the session; refuse prompts, answers, interrupts and files of the portal"},
			&cli.StringFlag{Name: "on-terminate", Value: "stop", Usage: "`WHAT` becomes of the session when the portal ends it: stop or detach"},
			&cli.StringFlag{Name: "uploads", Usage: "`DIRECTORY` for files that people send through the portal (default: one in the state directory)"},
		),
		Action:      p.runProxy,
		Subcommands: []*cli.Command{p.proxyLoginCommand(), p.proxyLogoutCommand()},
	}
}

// backendFlags returns the flags for the address of a portal.
func backendFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "backend-url", Usage: "`URL` of the portal: wss://HOST, or ws://HOST on this machine"},
		&cli.StringFlag{Name: "backend-ca", Usage: "`FILE` with the certificate of the authority that signed the portal's certificate"},
		&cli.BoolFlag{Name: "insecure", Usage: "reach another machine without TLS: anybody between can read and change all of it"},
	}
}

// backendOf reads them.
func backendOf(c *cli.Context, url string) (gateways.PortalAddress, *x509.CertPool, error) {
	if url == "" {
		return gateways.PortalAddress{}, nil, exit.Usage(errors.New("where is the portal? Give --backend-url wss://HOST"))
	}
	address, err := gateways.ParsePortal(url, c.Bool("insecure"))
	if err != nil || c.String("backend-ca") == "" {
		return address, nil, err
	}
	pem, err := os.ReadFile(c.String("backend-ca"))
	if err != nil {
		return address, nil, exit.Usage(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return address, nil, exit.Usage(fmt.Errorf("%s has no certificate", c.String("backend-ca")))
	}
	return address, roots, nil
}

// runProxy registers a session until a signal or the portal ends it.
func (p *program) runProxy(c *cli.Context) error {
	if c.Args().Present() {
		return p.unknownCommand(c)
	}
	o, init, err := p.proxyOptions(c)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	cl, cfg, err := p.Connect(ctx, c) // a daemon must be there when the proxy begins
	if err != nil {
		return err
	}
	defer cl.Close()
	if o.State = p.StateDirectory(c, cfg); o.State == "" {
		return exit.Usage(errors.New("the proxy runs on the daemon's machine: leave --address out"))
	}
	if o.Token == "" {
		if o.Token, err = gateways.SavedToken(o.State, o.Backend); err != nil {
			return err
		}
	}
	if o.Session, err = p.proxiedSession(ctx, c, cl); err != nil {
		return err
	}
	if o.Name, err = nameAtPortal(ctx, c, cl, o.Session, init.Prefix); err != nil {
		return err
	}
	o.Daemon = cfg
	return gateways.Proxy(ctx, o)
}

// proxyOptions reads the flags that need no daemon.
func (p *program) proxyOptions(c *cli.Context) (o gateways.ProxyOptions, init gateways.PortalInit, err error) {
	if c.String("init") != "" {
		if init, err = gateways.ParseInit(c.String("init")); err != nil {
			return o, init, err
		}
	}
	if o.Token, err = p.portalToken(c, init.Token); err != nil {
		return o, init, err
	}
	url := c.String("backend-url")
	if url == "" {
		url = init.Backend
	}
	if o.Backend, o.Roots, err = backendOf(c, url); err != nil {
		return o, init, err
	}
	if o.Generation = slices.Index([]string{"", "g1", "g2", "g3"}, c.String("generation")); o.Generation < 1 {
		return o, init, exit.Usage(fmt.Errorf("--generation is g1, g2 or g3, not %q", c.String("generation")))
	}
	if o.Detach = c.String("on-terminate") == "detach"; !o.Detach && c.String("on-terminate") != "stop" {
		return o, init, exit.Usage(fmt.Errorf("--on-terminate is stop or detach, not %q", c.String("on-terminate")))
	}
	o.ReadOnly, o.Version, o.Ready, o.Log = c.Bool("read-only"), p.Build.Version, p.Stdout, p.Stderr
	if c.String("uploads") != "" {
		o.Uploads, err = filepath.Abs(c.String("uploads"))
	}
	return o, init, err
}

// portalToken returns the token that the command was given; empty if none. The variable is not left
// in the environment: a daemon that this command starts would hand it to its agents.
func (p *program) portalToken(c *cli.Context, fromInit string) (token string, err error) {
	token = p.World.Getenv(portalToken)
	if err := os.Unsetenv(portalToken); err != nil {
		return "", err
	}
	switch {
	case c.String("auth-token-file") != "":
		if token, err = secret.Read(c.String("auth-token-file")); err != nil {
			return "", exit.Usage(fmt.Errorf("read the token: %w", err))
		}
	case c.String("auth-token") != "":
		token = c.String("auth-token")
		fmt.Fprintln(p.Stderr, "betcode: other users see --auth-token in the list of processes; --auth-token-file and "+portalToken+" show it to nobody")
	case token == "":
		token = fromInit
	}
	if token == "" {
		return "", nil
	}
	return token, exit.Usage(secret.Check(token))
}

// proxiedSession returns the id of the session to register.
func (p *program) proxiedSession(ctx context.Context, c *cli.Context, cl *client.Client) (string, error) {
	switch ref := c.String("session"); {
	case ref != "" && c.Bool("new"):
		return "", exit.Usage(errors.New("--session and --new contradict each other: leave one of them out"))
	case ref != "":
		return base.Resolve(ctx, cl, ref)
	case !c.Bool("new"):
		return "", exit.Usage(errors.New("which session? Give --session SESSION, --session @last, or --new"))
	}
	directory, err := session.WorkingDirectory(c.String("cwd"))
	if err != nil {
		return "", err
	}
	made, err := session.Create(ctx, cl, &pb.StartConversation{SessionId: uuid.NewString(), WorkingDirectory: directory, Name: c.String("session-name")})
	return made.GetSessionId(), err
}

// nameAtPortal returns the name of the session at the portal: the one that was given, the session's
// own, or that of this machine with the time at which the session began, as other proxies make it.
func nameAtPortal(ctx context.Context, c *cli.Context, cl *client.Client, session, prefix string) (string, error) {
	if c.String("session-name") != "" {
		return c.String("session-name"), nil
	}
	found, err := cl.Admin.ShowSession(ctx, &pb.ShowSessionRequest{SessionId: session})
	if err != nil {
		return "", err
	}
	if name := found.GetSummary().GetName(); name != "" {
		return name, nil
	}
	if prefix == "" {
		prefix, _ = os.Hostname() // for people
	}
	return prefix + "-" + found.GetSummary().GetCreatedAt().AsTime().Format("20060102-150405"), nil
}
