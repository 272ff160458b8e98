package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"

	"betcode/tests/claudecli"
	"betcode/tests/model"
)

// madeFile is the file that the tool creates in the working directory.
const madeFile = "made.txt"

// prompts are the demo's messages to the agent.
type prompts struct{ text, tool string }

// cast is who plays the agent and the model.
type cast struct {
	program string   // the agent's executable
	environ []string // for it
	prompts prompts
	server  *model.Server // nil with the real model
}

func (c *cast) close() {
	if c.server != nil {
		_ = c.server.Close() // the demo is over either way
	}
}

// castAgent finds a Claude Code, or fetches the pinned one, and chooses the
// model: the real one if a key is set.
func castAgent(ctx context.Context) (*cast, error) {
	program, version, err := claudecli.Find(ctx, os.Getenv("PATH"))
	if err != nil {
		say("No suitable claude is in PATH; fetching the pinned one into .cache (once).")
		version = "pinned"
		if program, err = claudecli.Ensure(ctx, os.Stderr); err != nil {
			return nil, err
		}
	}
	say("agent      Claude Code %s, the real one", version)
	c := &cast{program: program, environ: []string{
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "IS_SANDBOX=1", "SHELL=/bin/bash",
	}}
	if key := os.Getenv("ANTHROPIC_API_KEY"); key != "" && os.Getenv("BETCODE_DEMO_SCRIPTED") == "" {
		say("model      the real one, since ANTHROPIC_API_KEY is set (BETCODE_DEMO_SCRIPTED=1 for the scripted one)")
		c.environ = append(c.environ, "ANTHROPIC_API_KEY="+key)
		if url := os.Getenv("ANTHROPIC_BASE_URL"); url != "" {
			c.environ = append(c.environ, "ANTHROPIC_BASE_URL="+url)
		}
		c.prompts = prompts{
			text: "Say hello in one short sentence.",
			tool: "Run exactly this with the Bash tool: touch " + madeFile + " && echo hi",
		}
		return c, nil
	}
	say("model      scripted, on loopback: no ANTHROPIC_API_KEY is set")
	script, err := model.Ready("default")
	if err != nil {
		return nil, err
	}
	if c.server, err = model.New(script); err != nil {
		return nil, err
	}
	c.environ = append(c.environ, "ANTHROPIC_BASE_URL="+c.server.URL, "ANTHROPIC_API_KEY=dummy")
	c.prompts = prompts{text: "say hello", tool: "tool please: make a file"}
	return c, nil
}

func say(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }

// oneLine shortens a text to one line of a terminal.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 100 {
		return string(runes[:99]) + "…"
	}
	return text
}

// alive returns an error unless a process is there.
func alive(pid int) error { return syscall.Kill(pid, 0) }
