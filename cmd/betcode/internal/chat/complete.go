package chat

import (
	"context"
	"strings"
	"sync"
	"time"

	"betcode/cmd/betcode/internal/chat/editor"
	"betcode/cmd/betcode/internal/client"
	"betcode/cmd/betcode/internal/console"
	pb "betcode/proto/betcode/v1"
)

// most bounds a list of completions.
const most = 50

// commandList keeps the session's commands for a moment, because each key asks for them.
type commandList struct {
	mu      sync.Mutex
	read    time.Time
	choices []editor.Choice
}

// get returns the commands of the agent and the daemon; the last known ones if the daemon does not
// answer.
func (l *commandList) get(ctx context.Context, cl *client.Client, session string) []editor.Choice {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.read) < 10*time.Second {
		return l.choices
	}
	r, err := cl.Command.GetCommandRegistry(ctx, &pb.GetCommandRegistryRequest{SessionId: session})
	if err != nil {
		return l.choices
	}
	l.read, l.choices = time.Now(), nil
	for _, c := range r.GetCommands() {
		if c.GetExecutionMode() == pb.ExecutionMode_EXECUTION_MODE_PASSTHROUGH {
			l.choices = append(l.choices, editor.Choice{Text: "/" + c.GetName(), What: c.GetDescription()})
		}
	}
	return l.choices
}

// complete returns the completions of a word.
func complete(ctx context.Context, cl *client.Client, commands *commandList, session, word string) []editor.Choice {
	if strings.HasPrefix(word, "/") {
		var out []editor.Choice
		for _, c := range append(OwnCommands[:len(OwnCommands):len(OwnCommands)], commands.get(ctx, cl, session)...) {
			if strings.HasPrefix(c.Text, word) && c.Text != word && len(out) < most {
				out = append(out, c)
			}
		}
		return out
	}
	return append(paths(ctx, cl, session, word[1:]), agents(ctx, cl, word[1:])...)
}

func paths(ctx context.Context, cl *client.Client, session, beginning string) []editor.Choice {
	r, err := cl.Command.ListPath(ctx, &pb.ListPathRequest{Query: beginning, MaxResults: most, SessionId: session})
	if err != nil {
		return nil
	}
	var out []editor.Choice
	for _, e := range r.GetEntries() {
		c := editor.Choice{Text: "@" + e.GetPath()}
		if e.GetKind() == pb.PathKind_PATH_KIND_DIRECTORY {
			c.Text += "/"
		} else {
			c.What = console.Size(e.GetSize())
		}
		out = append(out, c)
	}
	return out
}

func agents(ctx context.Context, cl *client.Client, beginning string) []editor.Choice {
	r, err := cl.Command.ListAgents(ctx, &pb.ListAgentsRequest{Query: beginning, MaxResults: 10})
	if err != nil {
		return nil
	}
	var out []editor.Choice
	for _, a := range r.GetAgents() {
		if a.GetKind() == pb.AgentKind_AGENT_KIND_CLAUDE_INTERNAL {
			out = append(out, editor.Choice{Text: "@" + a.GetName(), What: "agent"})
		}
	}
	return out
}
