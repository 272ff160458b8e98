package record

import (
	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// storeSubagent returns nil for a session that is no subagent.
func storeSubagent(r *messages.SubagentRecord) *storev1.Subagent {
	if r == nil {
		return nil
	}
	return &storev1.Subagent{
		Parent:        string(r.Parent),
		Depth:         r.Depth,
		Digest:        r.Digest,
		Prompt:        r.Prompt,
		Tools:         r.Tools,
		MaxTurns:      r.MaxTurns,
		BudgetUsd:     r.BudgetUSD,
		Lease:         string(r.Lease),
		Forward:       r.Forward,
		Orchestration: r.Step.Orchestration,
		Step:          r.Step.Step,
		Attempt:       r.Step.Attempt,
		Deadline:      StoreTime(r.Deadline),
		Auto:          storeAutoApprove(r.Auto),
		Status:        uint32(r.Status),
		EndingStatus:  uint32(r.Ending.Status),
		EndingReason:  r.Ending.Reason,
		Result:        r.Result,
		Exit:          r.Exit,
		CompletedAt:   StoreTime(r.CompletedAt),
		EndSeq:        uint64(r.EndSeq),
		ToolCalls:     r.ToolCalls,
		AutoApproved:  r.AutoApproved,
	}
}

func loadSubagent(s *storev1.Subagent) *messages.SubagentRecord {
	if s == nil {
		return nil
	}
	return &messages.SubagentRecord{
		Parent:       messages.SessionID(s.GetParent()),
		Depth:        s.GetDepth(),
		Digest:       s.GetDigest(),
		Prompt:       s.GetPrompt(),
		Tools:        s.GetTools(),
		MaxTurns:     s.GetMaxTurns(),
		BudgetUSD:    s.GetBudgetUsd(),
		Lease:        messages.LeaseMode(s.GetLease()),
		Forward:      s.GetForward(),
		Step:         messages.StepAttempt{Orchestration: s.GetOrchestration(), Step: s.GetStep(), Attempt: s.GetAttempt()},
		Deadline:     LoadTime(s.GetDeadline()),
		Auto:         loadAutoApprove(s.GetAuto()),
		Status:       messages.SubagentStatus(s.GetStatus()),                                                                     //nolint:gosec // as it was stored
		Ending:       messages.SubagentEnding{Status: messages.SubagentStatus(s.GetEndingStatus()), Reason: s.GetEndingReason()}, //nolint:gosec // as it was stored
		Result:       s.GetResult(),
		Exit:         s.GetExit(),
		CompletedAt:  LoadTime(s.GetCompletedAt()),
		EndSeq:       messages.Seq(s.GetEndSeq()),
		ToolCalls:    s.GetToolCalls(),
		AutoApproved: s.GetAutoApproved(),
	}
}

// storeAutoApprove returns nil if there is none.
func storeAutoApprove(a messages.AutoApprove) *storev1.AutoApprove {
	if a == (messages.AutoApprove{}) {
		return nil
	}
	return &storev1.AutoApprove{
		Given: a.Given, Since: StoreTime(a.Since), Until: StoreTime(a.Until), PerMinute: a.PerMinute, Queue: a.Queue, Fence: a.Fence,
		Minute: a.Minute, Used: a.Used, Revoked: a.Revoked, RevokedBy: string(a.RevokedBy), Why: a.Why,
	}
}

func loadAutoApprove(s *storev1.AutoApprove) messages.AutoApprove {
	return messages.AutoApprove{
		Given: s.GetGiven(), Since: LoadTime(s.GetSince()), Until: LoadTime(s.GetUntil()), PerMinute: s.GetPerMinute(), Queue: s.GetQueue(), Fence: s.GetFence(),
		Minute: s.GetMinute(), Used: s.GetUsed(), Revoked: s.GetRevoked(), RevokedBy: messages.ClientID(s.GetRevokedBy()), Why: s.GetWhy(),
	}
}

// SubagentRuns reports whether a subagent has not ended; false for nil.
func SubagentRuns(s *storev1.Subagent) bool {
	return s != nil && !messages.SubagentStatus(s.GetStatus()).Final() //nolint:gosec // as it was stored
}
