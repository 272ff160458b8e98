package config

import "strings"

// Table has every setting of the daemon, in the order of docs/settings.md. It is the only
// description of a setting: files, variables and flags are parsed by it, and pages and
// answers are generated from it.
func Table() []Setting { return table }

var table = []Setting{
	{
		Name: "daemon.socket_path", Kind: Path, Env: "BETCODE_SOCKET", Flag: "socket", Unset: "$XDG_RUNTIME_DIR/betcode/daemon.sock, or in the configuration directory",
		Help: "the Unix socket that the daemon serves, on Windows the named pipe",
		into: func(d *Daemon) any { return &d.SocketPath }, otherwise: Environment.defaultSocket,
	},
	{
		Name: "daemon.state_dir", Kind: Path, Env: "BETCODE_STATE_DIR", Flag: "state-dir", Unset: "$XDG_STATE_HOME/betcode, as the platform has it",
		Help: "directory of the journal and of the agents' files",
		into: func(d *Daemon) any { return &d.StateDir }, otherwise: func(e Environment, _ string) (string, error) { return e.stateDir() },
	},
	{
		Name: "daemon.listen_tcp", Kind: Text, Env: "BETCODE_LISTEN_TCP", Flag: "listen", Unset: "no TCP",
		Help: "host:port to listen on as well, for callers with a token; beyond this machine with TLS only",
		into: func(d *Daemon) any { return &d.TCP.Address },
	},
	{
		Name: "daemon.listen_names", Kind: Text, Env: "BETCODE_LISTEN_NAMES", Unset: "localhost and addresses",
		Help: "host names, separated by commas, under which callers may reach the daemon over TCP",
		into: func(d *Daemon) any { return &d.TCP.Names },
	},
	{
		Name: "daemon.listen_environment", Kind: Switch, Default: "false", Env: "BETCODE_LISTEN_ENVIRONMENT",
		Help: "whether the environment of a client over TCP is used for the session that it begins; its token needs the scope approve",
		into: func(d *Daemon) any { return &d.TCP.Environment },
	},
	{
		Name: "daemon.tls_cert", Kind: Path, Env: "BETCODE_TLS_CERT", Unset: "no TLS",
		Help: "the daemon's certificate with intermediate certificates, PEM",
		into: func(d *Daemon) any { return &d.TCP.CertFile },
	},
	{
		Name: "daemon.tls_key", Kind: Path, Env: "BETCODE_TLS_KEY", Unset: "no TLS",
		Help: "the certificate's key, PEM, not readable by other users",
		into: func(d *Daemon) any { return &d.TCP.KeyFile },
	},
	{
		Name: "daemon.log_level", Kind: Text, Default: "info", Values: LogLevels, Env: "BETCODE_LOG_LEVEL", Flag: "log-level", Live: true,
		Help: "level of the log",
		into: func(d *Daemon) any { return &d.LogLevel },
	},
	{
		Name: "daemon.log_file", Kind: Path, Env: "BETCODE_LOG_FILE", Flag: "log-file", Unset: "standard error",
		Help: "file of the log",
		into: func(d *Daemon) any { return &d.LogFile },
	},
	{
		Name: "daemon.log_max_bytes", Kind: Size, Default: "16MiB", Min: "64KiB", Off: true, Env: "BETCODE_LOG_MAX_BYTES", Live: true,
		Help: "largest size of a log file; a full file is renamed, and a new one begins",
		into: func(d *Daemon) any { return &d.Log.Bytes },
	},
	{
		Name: "daemon.log_files", Kind: Number, Unit: "files", Default: "3", Min: "1", Max: "99", Env: "BETCODE_LOG_FILES", Live: true,
		Help: "number of log files, including the newest",
		into: func(d *Daemon) any { return &d.Log.Files },
	},
	{
		Name: "daemon.max_subprocesses", Kind: Number, Unit: "agents", Default: "5", Min: "1", Max: "10000", Env: "BETCODE_MAX_AGENTS", Flag: "max-agents", Live: true,
		Help: "number of agents that run at the same time",
		into: func(d *Daemon) any { return &d.MaxAgents },
	},
	{
		Name: "daemon.max_waiting", Kind: Number, Unit: "sessions", Default: "50", Min: "1", Max: "100000", Env: "BETCODE_MAX_WAITING", Live: true,
		Help: "number of sessions that may wait for a slot",
		into: func(d *Daemon) any { return &d.MaxWaiting },
	},
	{
		Name: "daemon.max_payload_bytes", Kind: Size, Default: "64MiB", Min: "4MiB", Max: "1GiB", Env: "BETCODE_MAX_PAYLOAD",
		Help: "largest request, including attachments",
		into: func(d *Daemon) any { return &d.MaxPayload },
	},
	{
		Name: "daemon.memory_limit", Kind: Size, Unset: "no limit", Min: "1B", Env: "BETCODE_MEMORY_LIMIT",
		Help: "memory limit; above 80 % of it the daemon is degraded",
		into: func(d *Daemon) any { return &d.MemoryLimit },
	},
	{
		Name: "daemon.keep_agents", Kind: Switch, Default: "false", Env: "BETCODE_KEEP_AGENTS", Flag: "keep-agents",
		Help: "whether agents go on when a signal ends the daemon",
		into: func(d *Daemon) any { return &d.KeepAgents },
	},
	{
		Name: "agent.path", Kind: Path, Default: "claude", Env: "BETCODE_CLAUDE", Flag: "claude",
		Help: "executable of the agent; a name without a slash is looked up in PATH",
		into: func(d *Daemon) any { return &d.ClaudePath },
	},
	{
		Name: "agent.silence", Kind: Duration, Default: "7m", Min: "1s", Max: "24h", Env: "BETCODE_AGENT_SILENCE", Live: true,
		Help: "time without output in a turn after which an agent is replaced",
		into: func(d *Daemon) any { return &d.AgentSilence },
	},
	{
		Name: "agent.park_after", Kind: Duration, Default: "10m", Min: "1s", Max: "24h", Env: "BETCODE_PARK_AFTER", Live: true,
		Help: "time after which an idle agent is ended; the next message resumes it",
		into: func(d *Daemon) any { return &d.ParkAfter },
	},
	{
		Name: "pool.waiting_hold", Kind: Duration, Default: "10m", Min: "1s", Max: "24h", Env: "BETCODE_POOL_WAITING_HOLD", Live: true,
		Help: "time for which an agent that waits for a person keeps its slot when other sessions wait for one; then it is parked, and an answer resumes it",
		into: func(d *Daemon) any { return &d.WaitingHold },
	},
	{
		Name: "pool.min_free_memory", Kind: Size, Default: "128MiB", Min: "1MiB", Max: "16TiB", Off: true, Env: "BETCODE_POOL_MIN_FREE_MEMORY", Live: true,
		Help: "memory that must remain available (Linux) when an agent starts; sessions wait until it would",
		into: func(d *Daemon) any { return &d.MinFreeMemory },
	},
	{
		Name: "agent.memory_estimate", Kind: Size, Default: "300MiB", Min: "1MiB", Max: "1TiB", Env: "BETCODE_AGENT_MEMORY_ESTIMATE", Live: true,
		Help: "memory that an agent is expected to use",
		into: func(d *Daemon) any { return &d.AgentMemory },
	},
	{
		Name: "agent.memory_max", Kind: Size, Default: "off", Min: "64MiB", Max: "16TiB", Off: true, Env: "BETCODE_AGENT_MEMORY_MAX", Live: true,
		Help: "memory that an agent with all that it starts may use (Linux); it is killed when it needs more. Without usable control groups, agents start without a limit, and health reports that",
		into: func(d *Daemon) any { return &d.MemoryMax },
	},
	{
		Name: "agent.environment_keep", Kind: Names, Default: strings.Join(keptByDefault, ","), Env: "BETCODE_AGENT_ENVIRONMENT_KEEP",
		Help: "variables of a client's environment that are stored with the sessions it begins and passed to their agents; none may be a secret",
		into: func(d *Daemon) any { return &d.AgentEnvironment.Keep },
	},
	{
		Name: "agent.environment_withhold", Kind: Names, Default: "off", Env: "BETCODE_AGENT_ENVIRONMENT_WITHHOLD",
		Help: "variables of the daemon that agents do not get",
		into: func(d *Daemon) any { return &d.AgentEnvironment.Withhold },
	},
	{
		Name: "agent.on_self_approval", Kind: Text, Default: "freeze", Values: SelfApprovalReactions, Env: "BETCODE_ON_SELF_APPROVAL", Live: true,
		Help: "what happens to an agent after an alarm: it is frozen until a person decides, killed, or continues; the alarm is announced in each case",
		into: func(d *Daemon) any { return &d.OnSelfApproval },
	},
	{
		Name: "agent.fence", Kind: Text, Default: "off", Values: Fences, Env: "BETCODE_AGENT_FENCE", Live: true,
		Help: "whether the kernel (Linux, Landlock) keeps new agents from writing outside their project",
		into: func(d *Daemon) any { return &d.Fence },
	},
	{
		Name: "agent.fence_writable", Kind: Paths, Default: "off", Env: "BETCODE_AGENT_FENCE_WRITABLE", Live: true,
		Help: "further paths to which a fenced agent may write, with everything below",
		into: func(d *Daemon) any { return &d.FenceWritable },
	},
	{
		Name: "agents.fleet", Kind: Switch, Default: "false", Env: "BETCODE_AGENTS_FLEET", Live: true,
		Help: "whether every new agent has the MCP server betcode, through which it starts subagents and directs them; else those of sessions that were begun with --fleet",
		into: func(d *Daemon) any { return &d.AgentsFleet },
	},
	{
		Name: "sessions.default_model", Kind: Text, Unset: "the agent's own", Aliases: []string{"model"}, Env: "BETCODE_MODEL", Live: true, Directory: true,
		Help: "model of a new session without one of its own",
		into: func(d *Daemon) any { return &d.Model },
	},
	{
		Name: "sessions.auto_compact", Kind: Switch, Default: "true", Env: "BETCODE_AUTO_COMPACT", Live: true,
		Help: "whether sessions.auto_compact_threshold takes effect",
		into: func(d *Daemon) any { return &d.Past.AutoCompact },
	},
	{
		Name: "sessions.auto_compact_threshold", Kind: Number, Unit: "tokens", Default: "0", Min: "0", Max: "4294967295", Env: "BETCODE_AUTO_COMPACT_THRESHOLD", Live: true,
		Help: "tokens above which a context is compacted when its agent is idle; 0 = never",
		into: func(d *Daemon) any { return &d.Past.CompactThreshold },
	},
	{
		Name: "sessions.lock_grace", Kind: Duration, Default: "10s", Min: "1s", Max: "1h", Env: "BETCODE_LOCK_GRACE",
		Help: "time for which the input lock is reserved for its holder after the daemon has ended or crashed",
		into: func(d *Daemon) any { return &d.LockGrace },
	},
	{
		Name: "resume.policy", Kind: Text, Default: "auto", Values: ResumePolicies, Env: "BETCODE_RESUME", Live: true, Directory: true,
		Help: "what happens to an interrupted turn: it is continued, waits for a person, or ends",
		into: func(d *Daemon) any { return &d.Resume.Policy },
	},
	{
		Name: "resume.times", Kind: Number, Unit: "times", Default: "2", Min: "0", Max: "1000", Env: "BETCODE_RESUME_TIMES", Live: true,
		Help: "number of times that the daemon continues a turn by itself",
		into: func(d *Daemon) any { return &d.Resume.Times },
	},
	{
		Name: "resume.grace", Kind: Duration, Default: "1m", Min: "1s", Max: "1h", Env: "BETCODE_CONTINUE_GRACE", Live: true,
		Help: "time for which the daemon waits for a resumed agent to continue by itself",
		into: func(d *Daemon) any { return &d.Resume.Grace },
	},
	{
		Name: "permissions.default_ttl", Kind: Duration, Default: "7d", Min: "1h", Max: "30d", Env: "BETCODE_PERMISSION_TTL", Flag: "permission-ttl", Live: true,
		Help: "time for which a permission request waits for a person",
		into: func(d *Daemon) any { return &d.PermissionTTL },
	},
	{
		Name: "permissions.min_ttl", Kind: Duration, Default: "1h", Min: "1h", Max: "30d", Env: "BETCODE_PERMISSION_MIN_TTL", Live: true,
		Help: "lower bound of permissions.default_ttl",
		into: func(d *Daemon) any { return &d.MinTTL },
	},
	{
		Name: "permissions.max_ttl", Kind: Duration, Default: "30d", Min: "1h", Max: "30d", Env: "BETCODE_PERMISSION_MAX_TTL", Live: true,
		Help: "upper bound of permissions.default_ttl",
		into: func(d *Daemon) any { return &d.MaxTTL },
	},
	{
		Name: "permissions.extend_on_activity", Kind: Switch, Default: "true", Env: "BETCODE_PERMISSION_EXTEND", Flag: "permission-extend", Live: true,
		Help: "whether activity of a client restarts this time",
		into: func(d *Daemon) any { return &d.ExtendOnActivity },
	},
	{
		Name: "permissions.reminder_intervals", Kind: Durations, Default: "1h,24h", Min: "1m", Max: "30d", Env: "BETCODE_PERMISSION_REMINDERS", Flag: "permission-reminders", Live: true,
		Help: "times after which people are reminded of an open request",
		into: func(d *Daemon) any { return &d.Reminders },
	},
	{
		Name: "notify.exec", Kind: Command, Unset: "none", Env: "BETCODE_NOTIFY_EXEC", Flag: "notify-exec", Live: true, Private: true,
		Help: "program that is started for reminders and other notifications, or a JSON list with its arguments",
		into: func(d *Daemon) any { return &d.NotifyExec },
	},
	{
		Name: "notify.webhook", Kind: Text, Unset: "none", Env: "BETCODE_NOTIFY_WEBHOOK", Live: true, Private: true,
		Help: "URL to which reminders and other notifications are posted as JSON; https, or http on this machine",
		into: func(d *Daemon) any { return &d.Notify.Webhook },
	},
	{
		Name: "notify.webhook_secret_file", Kind: Path, Unset: "unsigned", Env: "BETCODE_NOTIFY_WEBHOOK_SECRET_FILE", Live: true,
		Help: "file with the key of X-Betcode-Signature, the HMAC-SHA256 of the body; readable by you only",
		into: func(d *Daemon) any { return &d.Notify.WebhookSecret },
	},
	{
		Name: "notify.ntfy", Kind: Text, Unset: "none", Env: "BETCODE_NOTIFY_NTFY", Live: true, Private: true,
		Help: "URL of a topic on a server of ntfy, to which notifications are posted",
		into: func(d *Daemon) any { return &d.Notify.Ntfy },
	},
	{
		Name: "notify.ntfy_token_file", Kind: Path, Unset: "no token", Env: "BETCODE_NOTIFY_NTFY_TOKEN_FILE", Live: true,
		Help: "file with an access token for that server; readable by you only",
		into: func(d *Daemon) any { return &d.Notify.NtfyToken },
	},
	{
		Name: "notify.quiet_hours", Kind: Text, Unset: "none", Env: "BETCODE_NOTIFY_QUIET_HOURS", Live: true,
		Help: "part of each local day in which notifications wait, for example 22:00-07:00",
		into: func(d *Daemon) any { return &d.Notify.Quiet },
	},
	{
		Name: "budget.session_usd", Kind: Money, Default: "off", Min: "0.000001", Max: "1000000.00", Off: true, Env: "BETCODE_BUDGET_SESSION_USD", Live: true,
		Help: "US dollars at which a new session pauses and asks, unless it is begun with a budget of its own",
		into: func(d *Daemon) any { return &d.Budget.SessionMicros },
	},
	{
		Name: "budget.session_tokens", Kind: Number, Unit: "tokens", Default: "0", Min: "0", Max: "1000000000000", Env: "BETCODE_BUDGET_SESSION_TOKENS", Live: true,
		Help: "tokens (input, output and writes to the cache) at which a new session pauses and asks, likewise; 0 = no limit",
		into: func(d *Daemon) any { return &d.Budget.SessionTokens },
	},
	{
		Name: "budget.session_time", Kind: Duration, Default: "off", Min: "1s", Max: "365d", Off: true, Env: "BETCODE_BUDGET_SESSION_TIME", Live: true,
		Help: "working time of turns at which a new session pauses and asks, likewise",
		into: func(d *Daemon) any { return &d.Budget.SessionTime },
	},
	{
		Name: "budget.day_usd", Kind: Money, Default: "off", Min: "0.000001", Max: "1000000.00", Off: true, Env: "BETCODE_BUDGET_DAY_USD", Live: true,
		Help: "US dollars of all sessions together at which no turn begins before the next local day or an answer",
		into: func(d *Daemon) any { return &d.Budget.DayMicros },
	},
	{
		Name: "budget.day_tokens", Kind: Number, Unit: "tokens", Default: "0", Min: "0", Max: "1000000000000", Env: "BETCODE_BUDGET_DAY_TOKENS", Live: true,
		Help: "tokens of all sessions together (input, output and writes to the cache), likewise; 0 = no limit",
		into: func(d *Daemon) any { return &d.Budget.DayTokens },
	},
	{
		Name: "budget.day_time", Kind: Duration, Default: "off", Min: "1s", Max: "365d", Off: true, Env: "BETCODE_BUDGET_DAY_TIME", Live: true,
		Help: "working time of turns of all sessions together, likewise",
		into: func(d *Daemon) any { return &d.Budget.DayTime },
	},
	{
		Name: "worktree.setup_commands", Kind: Shell, Unset: "none", Env: "BETCODE_WORKTREE_SETUP_COMMANDS", Live: true,
		Help: "shell commands that run in a new worktree unless something in it is not trusted; .betcode/worktree-setup.sh of the repository runs instead of them",
		into: func(d *Daemon) any { return &d.Worktree.SetupCommands },
	},
	{
		Name: "worktree.setup_time", Kind: Duration, Default: "10m", Min: "1s", Max: "24h", Env: "BETCODE_WORKTREE_SETUP_TIME", Live: true,
		Help: "time limit of the setup of a worktree; what runs then is killed",
		into: func(d *Daemon) any { return &d.Worktree.SetupTime },
	},
	{
		Name: "worktree.retention_days", Kind: Number, Unit: "days", Default: "0", Min: "0", Max: "36500", Env: "BETCODE_WORKTREE_RETENTION_DAYS", Live: true,
		Help: "worktrees of the daemon that were not used for so many days are removed, if no session works in them and no work would be lost; ignored files go with them, branches stay; 0 = never",
		into: func(d *Daemon) any { return &d.Worktree.RetentionDays },
	},
	{
		Name: "subagents.max_per_session", Kind: Number, Unit: "subagents", Default: "50", Min: "1", Max: "10000", Env: "BETCODE_SUBAGENTS_MAX_PER_SESSION", Live: true,
		Help: "number of subagents of one session that may be under way",
		into: func(d *Daemon) any { return &d.Subagents.Limit },
	},
	{
		Name: "subagents.max_depth", Kind: Number, Unit: "levels", Default: "3", Min: "1", Max: "10", Env: "BETCODE_SUBAGENTS_MAX_DEPTH", Live: true,
		Help: "how deep subagents may spawn subagents",
		into: func(d *Daemon) any { return &d.Subagents.Depth },
	},
	{
		Name: "subagents.auto_approve_time", Kind: Duration, Default: "30m", Min: "1s", Max: "24h", Env: "BETCODE_SUBAGENTS_AUTO_APPROVE_TIME", Live: true,
		Help: "how long calls of an auto-approved subagent are approved, unless its spawn sets another time; then it is ended",
		into: func(d *Daemon) any { return &d.Subagents.AutoApproveTime },
	},
	{
		Name: "gitlab.url", Kind: Text, Unset: "https://gitlab.com, if there is a token", Env: "BETCODE_GITLAB_URL",
		Help: "GitLab with the merge requests, pipelines and issues to show",
		into: func(d *Daemon) any { return &d.GitLab.URL },
	},
	{
		Name: "gitlab.token_file", Kind: Path, Unset: "BETCODE_GITLAB_TOKEN or GITLAB_TOKEN", Env: "BETCODE_GITLAB_TOKEN_FILE",
		Help: "file with a token of that GitLab, readable by you only; it is read for each call",
		into: func(d *Daemon) any { return &d.GitLab.TokenFile },
	},
	{
		Name: "retention.max_bytes", Kind: Size, Default: "20GiB", Min: "1MiB", Off: true, Env: "BETCODE_RETENTION_MAX_BYTES",
		Help: "total size of the journal's sealed files",
		into: func(d *Daemon) any { return &d.Past.Bytes },
	},
	{
		Name: "retention.max_age", Kind: Duration, Default: "off", Min: "1h", Off: true, Env: "BETCODE_RETENTION_MAX_AGE",
		Help: "age of a sealed file of the journal",
		into: func(d *Daemon) any { return &d.Past.Age },
	},
	{
		Name: "retention.session_max_bytes", Kind: Size, Default: "off", Min: "1MiB", Off: true, Env: "BETCODE_RETENTION_SESSION_MAX_BYTES", Live: true,
		Help: "size of the events of one session",
		into: func(d *Daemon) any { return &d.Past.SessionBytes },
	},
	{
		Name: "retention.session_max_age", Kind: Duration, Default: "off", Min: "1h", Off: true, Env: "BETCODE_RETENTION_SESSION_MAX_AGE", Live: true,
		Help: "age of the events of a session",
		into: func(d *Daemon) any { return &d.Past.SessionAge },
	},
	{
		Name: "search.max_bytes", Kind: Size, Default: "2GiB", Min: "16MiB", Off: true, Env: "BETCODE_SEARCH_MAX_BYTES", Live: true,
		Help: "size of the index of 'betcode search', which drops the oldest history first; off = there is no index",
		into: func(d *Daemon) any { return &d.Past.SearchBytes },
	},
	{
		Name: "limits.requests_per_second", Kind: Number, Unit: "requests", Default: "500", Min: "0", Max: "1000000", Env: "BETCODE_LIMIT_REQUESTS", Live: true,
		Help: "average requests per second of one client or token; 0 = no limit",
		into: func(d *Daemon) any { return &d.Limits.PerSecond },
	},
	{
		Name: "limits.burst", Kind: Number, Unit: "requests", Default: "2000", Min: "1", Max: "10000000", Env: "BETCODE_LIMIT_BURST", Live: true,
		Help: "largest burst of these requests",
		into: func(d *Daemon) any { return &d.Limits.Burst },
	},
	{
		Name: "audit.max_age", Kind: Duration, Default: "90d", Min: "24h", Off: true, Env: "BETCODE_AUDIT_MAX_AGE",
		Help: "age of an entry of the audit log",
		into: func(d *Daemon) any { return &d.Audit.Age },
	},
	{
		Name: "audit.max_bytes", Kind: Size, Default: "256MiB", Min: "16MiB", Off: true, Env: "BETCODE_AUDIT_MAX_BYTES",
		Help: "size of the audit log; the oldest entries are removed first",
		into: func(d *Daemon) any { return &d.Audit.Bytes },
	},
	{
		Name: "journal.backup_every", Kind: Duration, Default: "off", Min: "1m", Off: true, Env: "BETCODE_JOURNAL_BACKUP_EVERY",
		Help: "interval of copies of the journal in the directory backups of the state directory",
		into: func(d *Daemon) any { return &d.Backup.Every },
	},
	{
		Name: "journal.backup_keep", Kind: Number, Unit: "backups", Default: "3", Min: "1", Max: "1000", Env: "BETCODE_JOURNAL_BACKUP_KEEP",
		Help: "number of these copies to keep",
		into: func(d *Daemon) any { return &d.Backup.Keep },
	},
	{
		Name: "disk.low", Kind: Size, Unset: "512MiB, or a twentieth of a small disk", Min: "1B", Env: "BETCODE_DISK_LOW",
		Help: "free space of the state directory's disk below which no turn begins",
		into: func(d *Daemon) any { return &d.Disk.Low },
	},
	{
		Name: "disk.archive_bytes", Kind: Size, Default: "5GiB", Min: "1B", Env: "BETCODE_ARCHIVE_BYTES",
		Help: "size of the archived output of agents",
		into: func(d *Daemon) any { return &d.Disk.ArchiveBytes },
	},
	{
		Name: "disk.archive_age", Kind: Duration, Default: "30d", Min: "1s", Env: "BETCODE_ARCHIVE_AGE",
		Help: "age of the archived output of agents",
		into: func(d *Daemon) any { return &d.Disk.ArchiveAge },
	},
	{
		Name: "disk.spool_quota", Kind: Size, Default: "1GiB", Min: "1B", Env: "BETCODE_SPOOL_QUOTA",
		Help: "output of an agent beyond the journal at which the agent is frozen",
		into: func(d *Daemon) any { return &d.Disk.SpoolQuota },
	},
}
