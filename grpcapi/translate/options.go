package translate

import (
	"betcode/grpcapi/wire"
	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// optionsIn translates and checks the options of a new session. Files and directories that
// they name are checked when the session is created.
func optionsIn(op string, o *pb.AgentOptions) (messages.AgentOptions, error) {
	checked, err := messages.AgentOptions{
		Effort:             o.GetEffort(),
		Thinking:           o.GetThinking(),
		MaxThinkingTokens:  o.GetMaxThinkingTokens(),
		MaxTurns:           o.GetMaxTurns(),
		MaxBudgetUSD:       o.GetMaxBudgetUsd(),
		Agent:              o.GetAgent(),
		Tools:              o.GetTools(),
		NoTools:            o.GetNoTools(),
		AppendSystemPrompt: o.GetAppendSystemPrompt(),
		Directories:        o.GetAdditionalDirectories(),
		Agents:             o.GetAgents(),
		Servers:            o.GetMcpConfig(),
		OnlyServers:        o.GetStrictMcpConfig(),
		Fleet:              o.GetFleet(),
	}.Checked()
	if err != nil {
		return checked, wire.Invalid(op, "Correct the option, or leave it out.", "options: %w", err)
	}
	return checked, nil
}

// optionsOut translates options. Of the definitions of agents and MCP servers it returns the
// names only: definitions may contain secrets.
func optionsOut(o messages.AgentOptions) *pb.AgentOptions {
	if o.Empty() {
		return nil
	}
	return &pb.AgentOptions{
		Effort:                o.Effort,
		Thinking:              o.Thinking,
		MaxThinkingTokens:     o.MaxThinkingTokens,
		MaxTurns:              o.MaxTurns,
		MaxBudgetUsd:          o.MaxBudgetUSD,
		Agent:                 o.Agent,
		Tools:                 o.Tools,
		NoTools:               o.NoTools,
		AppendSystemPrompt:    o.AppendSystemPrompt,
		AdditionalDirectories: o.Directories,
		StrictMcpConfig:       o.OnlyServers,
		Fleet:                 o.Fleet,
		AgentNames:            o.AgentNames(),
		McpServerNames:        o.ServerNames(),
	}
}

// ForkOut translates where a session was forked; nil if it was not.
func ForkOut(f messages.Fork) *pb.ForkOrigin {
	if f.Session == "" {
		return nil
	}
	return &pb.ForkOrigin{SessionId: string(f.Session), Sequence: uint64(f.Seq)}
}
