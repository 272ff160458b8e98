package foreignproxy

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
)

// Agent runs under a proxy. Its methods are called by one goroutine.
type Agent interface {
	// Start starts it. It ends with ctx.
	Start(ctx context.Context, p *Proxy) error
	// Prompt gives it a prompt.
	Prompt(p *Proxy, text string)
	// Answer gives it the answer to a permission request.
	Answer(p *Proxy, a Answer)
	// Interrupt interrupts its turn.
	Interrupt(p *Proxy)
}

// Func is an agent that gets only prompts.
type Func func(p *Proxy, prompt string)

// Start implements [Agent].
func (Func) Start(context.Context, *Proxy) error { return nil }

// Prompt implements [Agent].
func (f Func) Prompt(p *Proxy, text string) { f(p, text) }

// Answer implements [Agent].
func (Func) Answer(*Proxy, Answer) {}

// Interrupt implements [Agent].
func (Func) Interrupt(*Proxy) {}

// Echo is an agent that repeats its prompt: the echo, an answer, and the end of the turn.
var Echo = Func(func(p *Proxy, prompt string) {
	p.Say(UserLine(prompt))
	p.Say(AssistantLine("You said: " + prompt))
	p.Say(ResultLine("You said: " + prompt))
})

// Program is an agent that is a program with the protocol of Claude Code.
type Program struct {
	Path string
	Args []string // before those of the proxy
	Env  []string
	Dir  string

	stdin io.Writer
}

// Start implements [Agent]. The program is started as proxies start it, and killed at the end.
func (a *Program) Start(ctx context.Context, p *Proxy) error {
	arguments := append(append([]string(nil), a.Args...), "--print", "--verbose", "--output-format", "stream-json", "--input-format", "stream-json",
		"--permission-prompt-tool", "stdio", "--replay-user-messages")
	how := "--session-id"
	if p.o.Resuming {
		how = "--resume"
	}
	command := exec.CommandContext(ctx, a.Path, append(arguments, how, p.o.Session)...)
	command.Env, command.Dir = a.Env, a.Dir
	in, err := command.StdinPipe()
	if err != nil {
		return err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start agent: %w", err)
	}
	a.stdin = in
	p.agents.Go(func() {
		a.read(p, out)
		_ = command.Wait() // how it ended does not matter to a proxy
	})
	return nil
}

// read forwards the output of the program.
func (a *Program) read(p *Proxy, out io.Reader) {
	lines := bufio.NewReaderSize(out, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var head struct {
			Type    string `json:"type"`
			ID      string `json:"request_id"`
			Request struct {
				Subtype     string          `json:"subtype"`
				Tool        string          `json:"tool_name"`
				Input       json.RawMessage `json:"input"`
				Suggestions json.RawMessage `json:"permission_suggestions"`
			} `json:"request"`
		}
		_ = json.Unmarshal(line, &head) // Say decides what becomes of a line that is not JSON
		switch {
		case head.Type == "control_request" && head.Request.Subtype == "can_use_tool":
			p.Ask(head.ID, head.Request.Tool, head.Request.Input, head.Request.Suggestions)
		case head.Type == "control_response":
		default:
			p.Say(json.RawMessage(line))
		}
	}
}

func (a *Program) write(line any) {
	raw, err := json.Marshal(line)
	if err != nil {
		panic(err) // a mistake of this package
	}
	_, _ = a.stdin.Write(append(raw, '\n')) // it may have ended
}

// Prompt implements [Agent].
func (a *Program) Prompt(p *Proxy, text string) {
	line := UserLine(text).(map[string]any)
	line["session_id"] = p.o.Session
	a.write(line)
}

// Answer implements [Agent].
func (a *Program) Answer(_ *Proxy, answer Answer) {
	verdict := map[string]any{"behavior": "allow", "updatedInput": answer.Input}
	if len(answer.Permissions) > 0 && string(answer.Permissions) != "[]" {
		verdict["updatedPermissions"] = answer.Permissions
	}
	if !answer.Allow {
		verdict = map[string]any{"behavior": "deny", "message": "User denied"}
		if answer.Reason != "" {
			verdict["message"] = answer.Reason
		}
	}
	a.write(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": answer.Request, "response": verdict}})
}

// Interrupt implements [Agent].
func (a *Program) Interrupt(*Proxy) {
	a.write(map[string]any{"type": "control_request", "request_id": "interrupt", "request": map[string]any{"subtype": "interrupt"}})
}
