package config

import "strings"

// agentSettings are the settings of agents and of their pool.
var agentSettings = []Setting{
	{
		Name: "agent.path", Kind: Path, Default: "claude", Env: "BETCODE_CLAUDE", Flag: "claude",
		Help:  "executable of the agent; a name without a slash is looked up in PATH",
		field: func(d *Daemon) any { return &d.ClaudePath },
	},
	{
		Name: "agent.silence", Kind: Duration, Default: "7m", Min: "1s", Max: "24h", Env: "BETCODE_AGENT_SILENCE", Live: true,
		Help:  "time without output in a turn after which an agent is replaced",
		field: func(d *Daemon) any { return &d.AgentSilence },
	},
	{
		Name: "agent.park_after", Kind: Duration, Default: "10m", Min: "1s", Max: "24h", Env: "BETCODE_PARK_AFTER", Live: true,
		Help:  "time after which an idle agent is ended; the next message resumes it",
		field: func(d *Daemon) any { return &d.ParkAfter },
	},
	{
		Name: "pool.waiting_hold", Kind: Duration, Default: "10m", Min: "1s", Max: "24h", Env: "BETCODE_POOL_WAITING_HOLD", Live: true,
		Help:  "time for which an agent that waits for a person keeps its slot when other sessions wait for one; then it is parked, and an answer resumes it",
		field: func(d *Daemon) any { return &d.WaitingHold },
	},
	{
		Name: "pool.min_free_memory", Kind: Size, Default: "128MiB", Min: "1MiB", Max: "16TiB", Off: true, Env: "BETCODE_POOL_MIN_FREE_MEMORY", Live: true,
		Help:  "memory that must remain available (Linux) when an agent starts; sessions wait until it would",
		field: func(d *Daemon) any { return &d.MinFreeMemory },
	},
	{
		Name: "agent.memory_estimate", Kind: Size, Default: "300MiB", Min: "1MiB", Max: "1TiB", Env: "BETCODE_AGENT_MEMORY_ESTIMATE", Live: true,
		Help:  "memory that an agent is expected to use",
		field: func(d *Daemon) any { return &d.AgentMemory },
	},
	{
		Name: "agent.memory_max", Kind: Size, Default: "off", Min: "64MiB", Max: "16TiB", Off: true, Env: "BETCODE_AGENT_MEMORY_MAX", Live: true,
		Help:  "memory that an agent with all that it starts may use (Linux); it is killed when it needs more. Without usable control groups, agents start without a limit, and health reports that",
		field: func(d *Daemon) any { return &d.MemoryMax },
	},
	{
		Name: "agent.environment_keep", Kind: Names, Default: strings.Join(keptByDefault, ","), Env: "BETCODE_AGENT_ENVIRONMENT_KEEP",
		Help:  "variables of a client's environment that are stored with the sessions it begins and passed to their agents; none may be a secret",
		field: func(d *Daemon) any { return &d.AgentEnvironment.Keep },
	},
	{
		Name: "agent.environment_withhold", Kind: Names, Default: "off", Env: "BETCODE_AGENT_ENVIRONMENT_WITHHOLD",
		Help:  "variables of the daemon that agents do not get",
		field: func(d *Daemon) any { return &d.AgentEnvironment.Withhold },
	},
	{
		Name: "agent.on_self_approval", Kind: Text, Default: "freeze", Values: SelfApprovalReactions, Env: "BETCODE_ON_SELF_APPROVAL", Live: true,
		Help:  "what happens to an agent after an alarm: it is frozen until a person decides, killed, or continues; the alarm is announced in each case",
		field: func(d *Daemon) any { return &d.OnSelfApproval },
	},
	{
		Name: "agent.fence", Kind: Text, Default: "off", Values: Fences, Env: "BETCODE_AGENT_FENCE", Live: true,
		Help:  "whether the kernel (Linux, Landlock) keeps new agents from writing outside their project",
		field: func(d *Daemon) any { return &d.Fence },
	},
	{
		Name: "agent.fence_writable", Kind: Paths, Default: "off", Env: "BETCODE_AGENT_FENCE_WRITABLE", Live: true,
		Help:  "further paths to which a fenced agent may write, with everything below",
		field: func(d *Daemon) any { return &d.FenceWritable },
	},
	{
		Name: "agents.fleet", Kind: Switch, Default: "false", Env: "BETCODE_AGENTS_FLEET", Live: true,
		Help:  "whether every new agent has the MCP server betcode, through which it starts subagents and directs them; else those of sessions that were begun with --fleet",
		field: func(d *Daemon) any { return &d.AgentsFleet },
	},
}
