package record

import (
	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

func storeOptions(o messages.AgentOptions) *storev1.AgentOptions {
	if o.Empty() {
		return nil
	}
	return &storev1.AgentOptions{
		Effort:             o.Effort,
		Thinking:           o.Thinking,
		MaxThinkingTokens:  o.MaxThinkingTokens,
		MaxTurns:           o.MaxTurns,
		MaxBudgetUsd:       o.MaxBudgetUSD,
		Agent:              o.Agent,
		Tools:              o.Tools,
		NoTools:            o.NoTools,
		AppendSystemPrompt: o.AppendSystemPrompt,
		Directories:        o.Directories,
		Agents:             o.Agents,
		Servers:            o.Servers,
		OnlyServers:        o.OnlyServers,
		Fleet:              o.Fleet,
	}
}

func loadOptions(o *storev1.AgentOptions) messages.AgentOptions {
	return messages.AgentOptions{
		Effort:             o.GetEffort(),
		Thinking:           o.GetThinking(),
		MaxThinkingTokens:  o.GetMaxThinkingTokens(),
		MaxTurns:           o.GetMaxTurns(),
		MaxBudgetUSD:       o.GetMaxBudgetUsd(),
		Agent:              o.GetAgent(),
		Tools:              o.GetTools(),
		NoTools:            o.GetNoTools(),
		AppendSystemPrompt: o.GetAppendSystemPrompt(),
		Directories:        o.GetDirectories(),
		Agents:             o.GetAgents(),
		Servers:            o.GetServers(),
		OnlyServers:        o.GetOnlyServers(),
		Fleet:              o.GetFleet(),
	}
}

func storeFork(f messages.Fork) *storev1.Fork {
	if f == (messages.Fork{}) {
		return nil
	}
	return &storev1.Fork{Session: string(f.Session), Seq: uint64(f.Seq), AgentSession: f.AgentSession, Message: f.Message, CostUsd: f.CostUSD}
}

func loadFork(f *storev1.Fork) messages.Fork {
	return messages.Fork{
		Session: messages.SessionID(f.GetSession()), Seq: messages.Seq(f.GetSeq()), AgentSession: f.GetAgentSession(), Message: f.GetMessage(),
		CostUSD: f.GetCostUsd(),
	}
}
