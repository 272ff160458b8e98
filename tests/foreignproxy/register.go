package foreignproxy

import "cmp"

// text is a string, or null.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (p *Proxy) agentType() string { return cmp.Or(p.o.AgentType, "claude") }

// register is the Register of the proxy's generation.
func (p *Proxy) register() map[string]any {
	o := p.o
	m := map[string]any{
		"type": "Register", "session_id": o.Session, "session_name": cmp.Or(o.Name, "box-20260205-131316"), "auth_token": nil,
		"working_directory": cmp.Or(o.Directory, "/somewhere/else"), "resuming": o.Resuming, "git_branch": text(o.Branch), "replay_after": nil,
		"client_version": text(o.Version),
	}
	if o.Token != nil {
		m["auth_token"] = *o.Token
	}
	if o.Generation >= 2 {
		m["replaces_session_id"], m["hostname"], m["launcher_id"], m["agent_type"] = text(o.Replaces), text(o.Hostname), nil, p.agentType()
		m["repo_url"], m["scheduled_task_id"] = text(o.RepoURL), nil
	}
	if o.Generation >= 3 {
		m["claude_args"], m["capabilities"] = []string{}, []string{"session.tunnel_binary_v1", "session.tunnel_binary_v2"}
	}
	return m
}

// update returns a SessionUpdate with the state of the proxy.
func (p *Proxy) update() map[string]any {
	m := map[string]any{"type": "SessionUpdate", "session_id": p.o.Session}
	facts := map[string]string{"git_branch": p.o.Branch}
	if p.o.Generation >= 2 {
		facts["pr_url"], facts["repo_url"] = p.o.PRURL, p.o.RepoURL
	}
	for name, fact := range facts {
		if fact != "" {
			m[name] = fact
		}
	}
	return m
}
