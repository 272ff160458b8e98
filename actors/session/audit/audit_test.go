package audit

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"betcode/actors/internal/claude"
	"betcode/messages"
)

func TestDecision(t *testing.T) {
	record := func(d messages.Decision) messages.PermissionRecord {
		return messages.PermissionRecord{Request: "p", Tool: "Bash", Agent: "a", Input: []byte("in"), Updated: []byte("edited"), Decision: d, DecidedBy: "bob"}
	}
	for d, want := range map[messages.Decision]struct {
		kind    messages.AuditType
		actor   string
		outcome messages.AuditOutcome
		input   string
		context map[string]string
	}{
		messages.AllowOnce:         {messages.AuditGranted, messages.ActorUser, "", "in", nil},
		messages.DecisionAnswered:  {messages.AuditGranted, messages.ActorUser, "", "in", nil},
		messages.AllowSession:      {messages.AuditGranted, messages.ActorUser, "", "in", map[string]string{"for": "session"}},
		messages.AllowWithEdit:     {messages.AuditGranted, messages.ActorUser, "", "edited", map[string]string{"edited": "true"}},
		messages.Deny:              {messages.AuditDenied, messages.ActorUser, messages.OutcomeDenied, "in", nil},
		messages.DenyNoInterrupt:   {messages.AuditDenied, messages.ActorUser, messages.OutcomeDenied, "in", nil},
		messages.DenyWithInterrupt: {messages.AuditDenied, messages.ActorUser, messages.OutcomeDenied, "in", nil},
		messages.DecisionExpired:   {messages.AuditDenied, messages.ActorDaemon, messages.OutcomeTimeout, "in", nil},
	} {
		e, ok := Decision(record(d), messages.ActorUser)
		context := map[string]string{"request_id": "p", "agent_id": "a"}
		for k, v := range want.context {
			context[k] = v
		}
		if !ok || e.Type != want.kind || e.ActorType != want.actor || e.ActorID != "bob" || e.Outcome != want.outcome || string(e.Input) != want.input || !reflect.DeepEqual(e.Context, context) {
			t.Errorf("%v: %v, %+v", d, ok, e)
		}
	}
	for _, d := range []messages.Decision{messages.Undecided, messages.DecisionWithdrawn} {
		if e, ok := Decision(record(d), messages.ActorUser); ok {
			t.Errorf("%v: %+v", d, e)
		}
	}
	if e, _ := Decision(record(messages.AllowOnce), messages.ActorDaemon); e.Type != messages.AuditAutoApproved {
		t.Errorf("by a rule: %+v", e)
	}
}

// Names that the agent gives are bounded, and secrets in definitions stay out.
func TestCreated(t *testing.T) {
	e := Created(messages.StartSession{
		Client: "c", WorkingDirectory: "/p", PermissionMode: "plan", AllowedTools: []string{"Read", "Edit"}, Fork: messages.Fork{Session: "f"},
		Options: messages.AgentOptions{MaxBudgetUSD: 0.5, Directories: []string{"/a", "/b"}, Servers: messages.Secret(`{"mcpServers":{"x":{"command":"c","env":{"KEY":"secret"}}}}`)},
	})
	want := map[string]string{
		"directory": "/p", "permission_mode": "plan", "allowed_tools": "2", "forked_from": "f", "directories": "/a\n/b", "max_budget_usd": "0.5", "mcp_servers": "x",
	}
	for k, v := range want {
		if e.Context[k] != v {
			t.Errorf("%s: %q, want %q", k, e.Context[k], v)
		}
	}
	for k, v := range e.Context {
		if strings.Contains(v, "secret") {
			t.Errorf("%s has a secret: %q", k, v)
		}
	}
	if e.Type != messages.AuditSessionCreated || e.ActorID != "c" {
		t.Errorf("%+v", e)
	}
}

func TestEntries(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for name, test := range map[string]struct {
		got  messages.AuditEntry
		want string
	}{
		"a denial of the agent": {AgentDenial(claude.DeniedByAgent{Tool: "Bash", ToolUse: "t", Reason: "rule", Message: "no"}), "permission_deny system agent Bash denied reason=no reason_type=rule tool_use_id=t"},
		"a grant":               {Grant("c", "Read", true), "permission_grant user c Read for=session"},
		"a grant taken back":    {Grant("c", "Read", false), "permission_revoke user c Read for=session"},
		"a cancelled turn":      {Canceled(messages.CancelTurn{Client: "c", Reason: "why"}), "turn_cancel user c reason=why"},
		"resumed by itself":     {Resumed(7, false, "c"), "session_resume run=7"},
		"resumed by a client":   {Resumed(7, true, "c"), "session_resume user c run=7"},
		"stopped":               {Complete("stop", "c", "d"), "session_complete user c by=stop turn_of=d"},
		"stopped by nobody":     {Complete("stop", "", ""), "session_complete user by=stop"},
		"spawned": {Spawned(messages.BeginSubagent{
			Start: messages.StartSession{Client: "c"}, Fenced: true,
			Subagent: messages.SubagentRecord{Depth: 2, Tools: []string{"Read"}, Auto: messages.AutoApprove{Given: true, PerMinute: 5, Until: time.Unix(60, 0), Since: time.Unix(0, 0)}},
		}), "subagent_spawn user c auto_approve=1m0s depth=2 fenced=true per_minute=5 tools=1"},
		"a subagent's time":    {SubagentLate("over"), "subagent_timeout daemon timeout"},
		"a cancelled subagent": {SubagentCanceled(messages.CancelSubagent{Client: "c", Reason: "why", Force: true}), "subagent_cancel user c force=true reason=why"},
		"above the rate":       {RateExceeded(messages.PermissionRecord{Tool: "Bash", Request: "r"}, "auto", "deny"), "rate_limit_exceeded daemon auto Bash denied request_id=r then=deny"},
		"auto-approve":         {AutoApproveRevoked(messages.RevokeAutoApprove{Client: "c", Reason: "why"}), "permission_revoke user c for=auto_approve reason=why"},
		"damaged and deleted":  {Damaged("delete", "c", errors.New("bad")), "session_complete user c success by=delete damage=bad"},
	} {
		if got := words(test.got); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	for status, want := range map[messages.SubagentStatus]string{
		messages.SubagentCompleted: "subagent_complete daemon", messages.SubagentFailed: "subagent_fail daemon failure", messages.SubagentCancelled: "",
	} {
		e, told := SubagentEnded(messages.SubagentEnding{Status: status, Reason: "why"})
		if got := words(e); got != want || told != (want != "") || status == messages.SubagentFailed && e.ErrorMessage != "why" {
			t.Errorf("a subagent is %s: %q, %+v", status, got, e)
		}
	}
	if e := Failed("CODE", "why"); e.Outcome != messages.OutcomeFailure || e.ErrorCode != "CODE" || e.ErrorMessage != "why" {
		t.Errorf("%+v", e)
	}
	if e := AgentDenial(claude.DeniedByAgent{Tool: long, ToolUse: long}); len(e.Tool) > 2*maxShown || len(e.Context["tool_use_id"]) > 2*maxShown {
		t.Errorf("not bounded: %d, %d", len(e.Tool), len(e.Context["tool_use_id"]))
	}
}

func words(e messages.AuditEntry) string {
	out := []string{string(e.Type), e.ActorType, e.ActorID, e.Tool, string(e.Outcome)}
	for _, k := range []string{"auto_approve", "by", "damage", "depth", "fenced", "for", "force", "per_minute", "reason", "reason_type", "request_id", "run", "then", "tool_use_id", "tools", "turn_of"} {
		if v, ok := e.Context[k]; ok {
			out = append(out, k+"="+v)
		}
	}
	return strings.Join(strings.Fields(strings.Join(out, " ")), " ")
}

func TestRegistered(t *testing.T) {
	e := Registered(messages.ConnectProxy{Host: "h", Version: "1", Owner: "ann"})
	if e.Type != messages.AuditSessionCreated || e.ActorType != messages.ActorUser || e.Context["proxy_host"] != "h" || e.Context["token"] != "ann" {
		t.Errorf("%+v", e)
	}
	if e := Registered(messages.ConnectProxy{Token: "proxy-1"}); e.Context["token"] != "proxy-1" {
		t.Errorf("the daemon's user: %+v", e)
	}
}

func TestLineOf(t *testing.T) {
	l, ok := LineOf(messages.AuditEntry{Type: messages.AuditDenied, Tool: "Bash", Input: []byte("rm"), ActorID: "rule"}, "")
	if !ok || l.Level != zerolog.WarnLevel || l.Message == "" || !reflect.DeepEqual(l.Fields, []any{"by", "rule", "tool", "Bash"}) {
		t.Errorf("%+v", l)
	}
	if again, _ := LineOf(messages.AuditEntry{Type: messages.AuditDenied}, "oh"); !reflect.DeepEqual(again.Fields, []any{"stderr", "oh"}) {
		t.Errorf("%+v", again)
	}
	if l, ok := LineOf(messages.AuditEntry{Type: messages.AuditSubagentSpawn}, ""); ok {
		t.Errorf("the log has %+v", l)
	}
}
