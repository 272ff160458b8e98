package cli

import (
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/cli/base"
	"betcode/cmd/betcode/internal/console"
	"betcode/cmd/betcode/internal/gateways"
)

func (p *program) proxyLoginCommand() *cli.Command {
	return &cli.Command{
		Name: "login", Usage: "get a token from a portal: it shows a code that you approve there",
		Description: "The token is kept in the state directory, for this user alone. 'betcode proxy' uses it; 'betcode proxy logout' removes it.",
		Flags:       backendFlags(), Action: p.proxyLogin,
	}
}

func (p *program) proxyLogoutCommand() *cli.Command {
	return &cli.Command{
		Name: "logout", Usage: "remove the token of a portal from this machine; the portal's page revokes it",
		Flags: backendFlags(),
		Action: func(c *cli.Context) error {
			if err := base.Arguments(c, 0, 0); err != nil {
				return err
			}
			address, _, err := backendOf(c, c.String("backend-url"))
			if err != nil {
				return err
			}
			state, err := p.proxyState(c)
			if err != nil {
				return err
			}
			return gateways.ForgetToken(state, address)
		},
	}
}

// proxyState returns the state directory. No daemon is needed.
func (p *program) proxyState(c *cli.Context) (string, error) {
	daemon, _, err := p.Locate(c)
	return daemon.StateDir, err
}

func (p *program) proxyLogin(c *cli.Context) error {
	if err := base.Arguments(c, 0, 0); err != nil {
		return err
	}
	address, roots, err := backendOf(c, c.String("backend-url"))
	if err != nil {
		return err
	}
	state, err := p.proxyState(c)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(c.Context, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	hostname, _ := os.Hostname() // the portal shows it to the person who approves
	show := func(code gateways.PortalCode) { p.showCode(address, code) }
	if err := gateways.Login(ctx, address, roots, state, hostname, show); err != nil {
		return err
	}
	fmt.Fprintf(p.Stderr, "Logged in at %s. Run 'betcode proxy --backend-url %s'.\n", console.Line(address.Host()), console.Line(address.String()))
	return nil
}

// showCode prints what to do at the portal. The texts come from the portal.
func (p *program) showCode(address gateways.PortalAddress, code gateways.PortalCode) {
	if u, err := url.Parse(code.URL); err != nil || u.Host != address.Host() {
		fmt.Fprintf(p.Stderr, "The portal at %s sends you to another host. Approve only if you know it.\n", console.Line(address.Host()))
	}
	fmt.Fprintf(p.Stderr, "Open %s and enter %s within %s.\n", console.Line(code.URL), console.Line(code.User), code.Lifetime)
}
