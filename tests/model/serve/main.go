// Command serve runs the scripted model for a person or a demo: it prints the
// URL for ANTHROPIC_BASE_URL and then one line per request on stderr.
//
//	serve [-listen 127.0.0.1:0] [-dump directory] [script name or file]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"betcode/tests/model"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run serves until a signal comes and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, args, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "serve: %v\n", err)
		return 1
	}
	return 0
}

func serve(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:0", "address to listen on")
	dump := flags.String("dump", "", "directory to write the bodies of requests to")
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: serve [flags] [script]\nscripts: %s, or a file\n", strings.Join(model.Names(), ", "))
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	script, err := load(flags.Arg(0))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := model.NewOn(listener, script)
	defer server.Close()
	fmt.Fprintln(stdout, server.URL)
	return report(ctx, server, stderr, *dump)
}

// load takes a ready script by name, the default one for no name, or a file.
func load(name string) (model.Script, error) {
	if name == "" {
		name = "default"
	}
	if b, err := os.ReadFile(name); err == nil {
		return model.Parse(b)
	}
	return model.Ready(name)
}

// report prints requests as they come, until ctx ends.
func report(ctx context.Context, server *model.Server, stderr io.Writer, dump string) error {
	for next := 1; ; next++ {
		r, err := server.Wait(ctx, func(r model.Request) bool { return r.Number == next })
		if err != nil {
			return nil //nolint:nilerr // the context has ended, which is how serving ends
		}
		who := "main"
		if r.Conversation.Subagent {
			who = "subagent"
		}
		fmt.Fprintf(stderr, "%d %s %s rule %q prompt %.60q after %d\n",
			r.Number, r.At.Format("15:04:05.000"), who, r.Rule, r.Conversation.Prompt(), r.Conversation.Replies)
		if dump != "" {
			path := fmt.Sprintf("%s/%04d.json", dump, r.Number)
			if err := os.WriteFile(path, r.Body, 0o600); err != nil {
				return fmt.Errorf("dump request: %w", err)
			}
		}
	}
}
