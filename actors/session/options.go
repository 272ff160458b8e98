package session

import (
	"strconv"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"betcode/actors/internal/act"
	"betcode/actors/internal/texts"
	"betcode/messages"
)

// leastBudget is the budget of an agent whose session has none left, in US dollars. The
// command line does not accept 0; the agent ends with the first answer of the model.
const leastBudget = 0.000_001

// budgetSpentCode is the code of a message that is refused for want of budget.
const budgetSpentCode messages.Code = "BUDGET_SPENT"

// optionsAtStart are those on the command line of the next agent. Each process of the
// agent counts its cost from 0, so it is given what is left of the session's budget.
func (s *state) optionsAtStart() messages.AgentOptions {
	o := s.agentOptions()
	if o.MaxBudgetUSD > 0 {
		o.MaxBudgetUSD = max(o.MaxBudgetUSD-s.record.Usage.CostUSD, leastBudget)
	}
	return o
}

// budgetSpent refuses a message to a session that has spent its budget. It reports
// whether it did.
func (t *transition) budgetSpent(from *actor.PID, op string) bool {
	budget, spent := t.s.agentOptions().MaxBudgetUSD, t.s.record.Usage.CostUSD
	if budget == 0 || spent < budget {
		return false
	}
	t.then(act.Reply{To: from, With: messages.Errorf(op, messages.WrongState, "the session has cost $%.4f, and its budget is $%.4f", spent, budget).
		WithCode(budgetSpentCode).With("session_id", string(t.s.id)).WithHint("begin another session, or fork this one, with a budget of its own")})
	return true
}

// announceFork writes into the history of a fork where it begins.
func (t *transition) announceFork() {
	f := t.s.record.Fork
	if f.Session == "" {
		return
	}
	seq := strconv.FormatUint(uint64(f.Seq), 10)
	t.notice("SESSION_FORKED", "Forked from "+string(f.Session)+" at sequence "+seq+"; what was said before is in its history",
		map[string]string{"session_id": string(f.Session), "sequence": seq})
}

// auditOptions adds to an entry which options a session was given. Of MCP servers, agents and prompts it has the names only.
func auditOptions(context map[string]string, o messages.AgentOptions) {
	if names := o.Names(); len(names) > 0 {
		context["options"] = strings.Join(names, " ")
	}
	for name, list := range map[string][]string{
		"directories": o.Directories, "mcp_servers": o.ServerNames(), "agents": o.AgentNames(),
	} {
		if len(list) > 0 {
			context[name] = texts.Shorten(strings.Join(list, "\n"), maxShown)
		}
	}
	if o.MaxBudgetUSD > 0 {
		context["max_budget_usd"] = strconv.FormatFloat(o.MaxBudgetUSD, 'f', -1, 64)
	}
}
