package record

import (
	"betcode/messages"
	storev1 "betcode/proto/betcode/store/v1"
)

// storeProxy returns nil for a session whose agent the daemon runs.
func storeProxy(r *messages.ProxyRecord) *storev1.Proxy {
	if r == nil {
		return nil
	}
	return &storev1.Proxy{
		Owner: r.Owner, Host: r.Host, Version: r.Version, Agent: r.Agent,
		Branch: r.Facts.Branch, Repository: r.Facts.Repository, MergeRequest: r.Facts.MergeRequest,
		AcknowledgesFromAgent: r.Abilities.AcknowledgesFromAgent, IgnoresLateDecisions: r.Abilities.IgnoresLateDecisions,
		Interrupts: r.Abilities.Interrupts, Terminates: r.Abilities.Terminates,
		Connected: r.Connected, Inputs: r.Inputs, InterruptAt: StoreTime(r.InterruptAt), Interrupted: r.Interrupted,
		Ended: r.Ended, Asked: r.Asked,
	}
}

func loadProxy(p *storev1.Proxy) *messages.ProxyRecord {
	if p == nil {
		return nil
	}
	return &messages.ProxyRecord{
		Owner: p.GetOwner(), Host: p.GetHost(), Version: p.GetVersion(), Agent: p.GetAgent(),
		Facts: messages.ProxyFacts{Branch: p.GetBranch(), Repository: p.GetRepository(), MergeRequest: p.GetMergeRequest()},
		Abilities: messages.ProxyAbilities{
			AcknowledgesFromAgent: p.GetAcknowledgesFromAgent(), IgnoresLateDecisions: p.GetIgnoresLateDecisions(),
			Interrupts: p.GetInterrupts(), Terminates: p.GetTerminates(),
		},
		Connected: p.GetConnected(), Inputs: p.GetInputs(), InterruptAt: LoadTime(p.GetInterruptAt()), Interrupted: p.GetInterrupted(),
		Ended: p.GetEnded(), Asked: p.GetAsked(),
	}
}
