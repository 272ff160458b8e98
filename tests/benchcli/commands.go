package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// commandLimit is how long a command may take that waits for no agent.
const commandLimit = 50 * time.Millisecond

// commands are the commands that wait for no agent. In their words SESSION is a session that rests, NAME the name of one,
// ASKS one that waits, REQUEST the permission request of that, and N the number of the round.
func commands() []figure {
	var all []figure
	for line := range strings.Lines(commandLines) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, commandFigure(line))
		}
	}
	return all
}

const commandLines = `
status
ps
ps --status waiting
ps --all
ps --all --json
ps -q --status idle
session list
session list --limit 10000 -o jsonl
session show NAME
session show @last
session new --name new-N
session rename SESSION renamed-N
session budget NAME --usd 3
session wait --for idle NAME
session stop NAME
session delete --yes SESSION
session prune --older-than 100000h --dry-run
logs NAME
logs -n 5 ASKS
events -n 10 NAME
permission list
permission list --json
permission show REQUEST
permission explain NAME Bash ls
audit
digest --since 1h
token list
trust --list
commands list
commands agents ask
commands path -s ASKS r
config show
config get daemon.socket_path
config check
config path
daemon status
daemon logs -n 20
health
journal stats
journal backups
worktree list
subagent list --all
repo list
fleet status
orchestrate list
orchestrate schema
machine
tree
version
help
help run
help exit-codes
completion bash
__complete a
__complete attach
__complete attach task-00
__complete session show 0
__complete permission allow
`

// commandFigure measures a command line.
func commandFigure(line string) figure {
	return figure{name: line, limit: commandLimit, measure: func(ctx context.Context, b *bench, round int) (sample, error) {
		return b.betcode(ctx, b.words(line, round)...)
	}}
}

// words returns the arguments of a command line in a round. Each round is about another session, and the newest are not
// taken, so that a session is used up once only.
func (b *bench) words(line string, round int) []string {
	args := strings.Fields(line)
	for i, arg := range args {
		resting := (2*round + 1) % len(b.past)
		switch arg {
		case "SESSION":
			args[i] = string(b.past[resting])
		case "NAME":
			args[i] = fmt.Sprintf("task-%05d", resting/2*2)
		case "ASKS":
			args[i] = b.waiting[round%len(b.waiting)]
		case "REQUEST":
			args[i] = b.requests[round%len(b.requests)]
		default:
			args[i] = strings.ReplaceAll(arg, "-N", fmt.Sprintf("-%d", round))
		}
	}
	if args[0] == "__complete" && args[len(args)-1] == "attach" || args[len(args)-1] == "allow" {
		args = append(args, "")
	}
	return args
}
