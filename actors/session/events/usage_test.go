package events

import (
	"testing"
	"time"

	pb "betcode/proto/betcode/v1"

	"betcode/messages"
)

func TestWithTotal(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	report := &pb.AgentEvent{Event: &pb.AgentEvent_Usage{Usage: &pb.UsageReport{InputTokens: 1, OutputTokens: 2, CacheCreationTokens: 4, CacheReadTokens: 8, CostUsd: 0.5}}}
	before := messages.Budget{Spent: messages.Spent{Micros: 250_000, Tokens: 3, Turns: 1, Work: time.Second}}
	total := WithTotal(report, before, at).GetUsage().GetTotal()
	if total.GetCostMicros() != 750_000 || total.GetTokens() != 10 || total.GetTurns() != 2 || total.GetWorkMs() != 1000 || total.GetUnknown() != 0 {
		t.Errorf("%v", total)
	}
	if report.GetUsage().GetTotal() != nil {
		t.Error("the agent's report was changed")
	}
	report.GetUsage().CostUnknown = true
	if total := WithTotal(report, before, at).GetUsage().GetTotal(); total.GetUnknown() != 1 || total.GetCostMicros() != 250_000 {
		t.Errorf("%v", total)
	}
	other := Notice("X", "x", nil)
	if got := WithTotal(other, before, at); got != other {
		t.Errorf("%v", got)
	}
}
