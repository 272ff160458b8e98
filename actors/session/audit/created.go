package audit

import (
	"cmp"
	"strconv"
	"strings"

	"betcode/actors/internal/texts"
	"betcode/messages"
)

// Created reports a new session, and what its agent may do unasked.
func Created(m messages.StartSession) messages.AuditEntry {
	e := ByClient(messages.AuditSessionCreated, m.Client)
	e.Context = map[string]string{"directory": m.WorkingDirectory}
	if m.PermissionMode != "" {
		e.Context["permission_mode"] = m.PermissionMode
	}
	if n := len(m.AllowedTools); n > 0 {
		e.Context["allowed_tools"] = strconv.Itoa(n)
	}
	addOptions(e.Context, m.Options)
	if m.Fork.Session != "" {
		e.Context["forked_from"] = string(m.Fork.Session)
	}
	return e
}

// addOptions adds which options a session was given. Of MCP servers, agents and prompts it adds the names only.
func addOptions(context map[string]string, o messages.AgentOptions) {
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

// Registered reports a new session whose agent runs elsewhere, under a proxy.
func Registered(m messages.ConnectProxy) messages.AuditEntry {
	return messages.AuditEntry{Type: messages.AuditSessionCreated, ActorType: messages.ActorUser, Context: map[string]string{
		"proxy_host": m.Host, "proxy_version": m.Version, "token": cmp.Or(m.Token, m.Owner),
	}}
}
