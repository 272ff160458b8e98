package messages

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestOptionsChecked(t *testing.T) {
	for name, o := range map[string]AgentOptions{
		"nothing":     {},
		"scalars":     {Effort: "xhigh", Thinking: "adaptive", MaxThinkingTokens: 1, MaxTurns: 10_000, MaxBudgetUSD: 0.01, Agent: "code-reviewer"},
		"tools":       {Tools: []string{"Read", "Bash"}},
		"no tools":    {NoTools: true},
		"prompt":      {AppendSystemPrompt: "Be brief.\n\t- a list\nand 👩‍🚀"},
		"directories": {Directories: []string{"/srv/data", "/srv/other dir"}},
		"agents":      {Agents: []byte(`{"rev": {"description": "d", "prompt": "p", "tools": ["Read"]}}`)},
		"servers":     {Servers: Secret(`{"mcpServers": {"my-db": {"command": "db", "env": {"TOKEN": "x"}}}}`), OnlyServers: true},
	} {
		if _, err := o.Checked(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	long := strings.Repeat("x", maxOptionBytes+1)
	for name, o := range map[string]AgentOptions{
		"effort":                   {Effort: "huge"},
		"effort as option":         {Effort: "--model"},
		"thinking":                 {Thinking: "on"},
		"thinking contradicts":     {Thinking: "disabled", MaxThinkingTokens: 5},
		"thinking tokens":          {MaxThinkingTokens: math.MaxUint32},
		"turns":                    {MaxTurns: 10_001},
		"budget below 0":           {MaxBudgetUSD: -1},
		"budget not a number":      {MaxBudgetUSD: math.NaN()},
		"budget endless":           {MaxBudgetUSD: math.Inf(1)},
		"budget too small":         {MaxBudgetUSD: 1e-12},
		"agent is an option":       {Agent: "-x"},
		"agent after nbsp":         {Agent: "\u00a0--x"},
		"agent after invisible":    {Agent: "\u200b--x"},
		"agent not a name":         {Agent: "a\nb"},
		"tool is an option":        {Tools: []string{"Read", " --x"}},
		"tool after nbsp":          {Tools: []string{"\u00a0-x"}},
		"tool with rule":           {Tools: []string{"Bash(git *)"}},
		"tool empty":               {Tools: []string{""}},
		"two tools in one":         {Tools: []string{"Read,--x"}},
		"many tools":               {Tools: slices.Repeat([]string{"Read"}, 201)},
		"tools contradict":         {Tools: []string{"Read"}, NoTools: true},
		"prompt is an option":      {AppendSystemPrompt: "\u00a0--dangerously-skip-permissions"},
		"prompt after invisible":   {AppendSystemPrompt: "\u200b\n-p"},
		"prompt with NUL":          {AppendSystemPrompt: "a\x00b"},
		"prompt with escape":       {AppendSystemPrompt: "a\x1b[2Jb"},
		"prompt not UTF-8":         {AppendSystemPrompt: "a\xff"},
		"prompt too long":          {AppendSystemPrompt: long},
		"directory relative":       {Directories: []string{"data"}},
		"directory is an option":   {Directories: []string{"--x"}},
		"directory with newline":   {Directories: []string{"/a\nb"}},
		"directory empty":          {Directories: []string{""}},
		"many directories":         {Directories: slices.Repeat([]string{"/a"}, 65)},
		"agents not JSON":          {Agents: []byte(`{bad`)},
		"agents a list":            {Agents: []byte(`[]`)},
		"agents null":              {Agents: []byte(`null`)},
		"agents a file":            {Agents: []byte(`/etc/passwd`)},
		"agents as option":         {Agents: []byte(`{"--x": {"description": "d", "prompt": "p"}}`)},
		"agents without a prompt":  {Agents: []byte(`{"a": {"description": "d"}}`)},
		"agents too long":          {Agents: []byte(`{"a": {"description": "d", "prompt": "` + long + `"}}`)},
		"servers not JSON":         {Servers: Secret(`{"mcpServers": hunter2}`)},
		"servers elsewhere":        {Servers: Secret(`{"servers": {}}`)},
		"server is no object":      {Servers: Secret(`{"mcpServers": {"a": "hunter2"}}`)},
		"server's name an option":  {Servers: Secret(`{"mcpServers": {"-a": {"command": "hunter2"}}}`)},
		"servers not text":         {Servers: Secret("{\"mcpServers\": {\"a\": {\"command\": \"\xffhunter2\"}}}")},
		"servers too long":         {Servers: Secret(`{"mcpServers": {"a": {"command": "` + long + `"}}}`)},
		"servers twice as members": {Servers: Secret(`{"mcpServers": {}} {"mcpServers": {}}`)},
	} {
		if _, err := o.Checked(); err == nil {
			t.Errorf("%s: taken", name)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error quotes the configuration: %v", name, err)
		}
	}
}

func TestOptionsAreNormalised(t *testing.T) {
	o, err := AgentOptions{
		Agent: "\u00a0rev ", Tools: []string{" Read "}, AppendSystemPrompt: " hi\n", Directories: []string{"/a/b/../c/", "/a/c"},
		Agents: []byte(`{ "rev" : {"description":"d", "prompt":"p"} }`), Servers: Secret(" {\"mcpServers\": {\"a\": {}}}\n"),
	}.Checked()
	if err != nil || o.Agent != "rev" || o.Tools[0] != "Read" || o.AppendSystemPrompt != "hi" || !slices.Equal(o.Directories, []string{"/a/c"}) ||
		string(o.Agents) != `{"rev":{"description":"d","prompt":"p"}}` || string(o.Servers) != `{"mcpServers":{"a":{}}}` {
		t.Errorf("%+v %s, %v", o, string(o.Servers), err)
	}
	if again, err := o.Checked(); err != nil || fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", o) {
		t.Errorf("checked twice: %+v, %v", again, err)
	}
}

func TestOptionsWiden(t *testing.T) {
	o := AgentOptions{
		Effort: "low", Thinking: "disabled", MaxTurns: 1, MaxBudgetUSD: 1, Agent: "a", NoTools: true, AppendSystemPrompt: "x",
		Directories: []string{"/a"}, Agents: []byte(`{"b":{},"a":{}}`), Servers: Secret(`{"mcpServers":{"s":{}}}`), OnlyServers: true,
	}
	if got := strings.Join(o.Widening(), " "); got != "agent add-dir agents mcp-config" {
		t.Errorf("widening: %s", got)
	}
	if got := o.AgentNames(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("agents: %v", got)
	}
	if got := o.ServerNames(); !slices.Equal(got, []string{"s"}) {
		t.Errorf("servers: %v", got)
	}
	if !(AgentOptions{}).Empty() || o.Empty() {
		t.Error("empty is wrong")
	}
}

// No format of options prints the MCP configuration.
func TestSecretIsNotPrinted(t *testing.T) {
	o := AgentOptions{Servers: Secret("hunter2")}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if text := fmt.Sprintf(format, o); strings.Contains(text, "hunter2") || strings.Contains(text, fmt.Sprintf("%x", "hunter2")) {
			t.Errorf("%s prints %s", format, text)
		}
	}
}
