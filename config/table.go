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
		Help: "names, with commas between them, by which callers over TCP may call the daemon",
		into: func(d *Daemon) any { return &d.TCP.Names },
	},
	{
		Name: "daemon.listen_environment", Kind: Switch, Default: "false", Env: "BETCODE_LISTEN_ENVIRONMENT",
		Help: "whether the environment of a client over TCP counts for the session that it begins; its token needs the scope approve",
		into: func(d *Daemon) any { return &d.TCP.Environment },
	},
	{
		Name: "daemon.tls_cert", Kind: Path, Env: "BETCODE_TLS_CERT", Unset: "no TLS",
		Help: "the daemon's certificate and those between it and the root, PEM",
		into: func(d *Daemon) any { return &d.TCP.CertFile },
	},
	{
		Name: "daemon.tls_key", Kind: Path, Env: "BETCODE_TLS_KEY", Unset: "no TLS",
		Help: "the certificate's key, PEM, open to nobody else",
		into: func(d *Daemon) any { return &d.TCP.KeyFile },
	},
	{
		Name: "daemon.log_level", Kind: Text, Default: "info", Values: LogLevels, Env: "BETCODE_LOG_LEVEL", Flag: "log-level", Live: true,
		Help: "how much the log says",
		into: func(d *Daemon) any { return &d.LogLevel },
	},
	{
		Name: "daemon.log_file", Kind: Path, Env: "BETCODE_LOG_FILE", Flag: "log-file", Unset: "standard error",
		Help: "where the log goes",
		into: func(d *Daemon) any { return &d.LogFile },
	},
	{
		Name: "daemon.log_max_bytes", Kind: Size, Default: "16MiB", Min: "64KiB", Off: true, Env: "BETCODE_LOG_MAX_BYTES", Live: true,
		Help: "how large a file of the log may be; then it is renamed, and a new one begun",
		into: func(d *Daemon) any { return &d.Log.Bytes },
	},
	{
		Name: "daemon.log_files", Kind: Number, Unit: "files", Default: "3", Min: "1", Max: "99", Env: "BETCODE_LOG_FILES", Live: true,
		Help: "how many files the log may have, the newest included",
		into: func(d *Daemon) any { return &d.Log.Files },
	},
	{
		Name: "daemon.max_subprocesses", Kind: Number, Unit: "agents", Default: "5", Min: "1", Max: "10000", Env: "BETCODE_MAX_AGENTS", Flag: "max-agents", Live: true,
		Help: "how many agents may run at once",
		into: func(d *Daemon) any { return &d.MaxAgents },
	},
	{
		Name: "daemon.max_waiting", Kind: Number, Unit: "sessions", Default: "50", Min: "1", Max: "100000", Env: "BETCODE_MAX_WAITING", Live: true,
		Help: "how many sessions may wait for an agent",
		into: func(d *Daemon) any { return &d.MaxWaiting },
	},
	{
		Name: "daemon.max_payload_bytes", Kind: Size, Default: "64MiB", Min: "4MiB", Max: "1GiB", Env: "BETCODE_MAX_PAYLOAD",
		Help: "the largest request that is taken, attachments included",
		into: func(d *Daemon) any { return &d.MaxPayload },
	},
	{
		Name: "daemon.memory_limit", Kind: Size, Unset: "no limit", Min: "1B", Env: "BETCODE_MEMORY_LIMIT",
		Help: "beyond 80% of it the daemon calls itself degraded",
		into: func(d *Daemon) any { return &d.MemoryLimit },
	},
	{
		Name: "daemon.keep_agents", Kind: Switch, Default: "false", Env: "BETCODE_KEEP_AGENTS", Flag: "keep-agents",
		Help: "a signal ends the daemon and not its agents",
		into: func(d *Daemon) any { return &d.KeepAgents },
	},
	{
		Name: "agent.path", Kind: Path, Default: "claude", Env: "BETCODE_CLAUDE", Flag: "claude",
		Help: "the agent's executable; a bare name is looked up in PATH",
		into: func(d *Daemon) any { return &d.ClaudePath },
	},
	{
		Name: "agent.silence", Kind: Duration, Default: "7m", Min: "1s", Max: "24h", Env: "BETCODE_AGENT_SILENCE", Live: true,
		Help: "an agent that says nothing that long in the middle of a turn hangs",
		into: func(d *Daemon) any { return &d.AgentSilence },
	},
	{
		Name: "agent.park_after", Kind: Duration, Default: "10m", Min: "1s", Max: "24h", Env: "BETCODE_PARK_AFTER", Live: true,
		Help: "an agent that has nothing to do that long is ended, and resumed by its next message",
		into: func(d *Daemon) any { return &d.ParkAfter },
	},
	{
		Name: "pool.waiting_hold", Kind: Duration, Default: "10m", Min: "1s", Max: "24h", Env: "BETCODE_POOL_WAITING_HOLD", Live: true,
		Help: "an agent that waits for a person keeps its slot that long when other sessions want it; then it is parked, and an answer resumes it",
		into: func(d *Daemon) any { return &d.WaitingHold },
	},
	{
		Name: "agent.environment_keep", Kind: Names, Default: strings.Join(keptByDefault, ","), Env: "BETCODE_AGENT_ENVIRONMENT_KEEP",
		Help: "variables of a client that the session which it begins keeps for its agents; they are stored, so none may be a secret",
		into: func(d *Daemon) any { return &d.AgentEnvironment.Keep },
	},
	{
		Name: "agent.environment_withhold", Kind: Names, Default: "off", Env: "BETCODE_AGENT_ENVIRONMENT_WITHHOLD",
		Help: "variables of the daemon that agents do not get",
		into: func(d *Daemon) any { return &d.AgentEnvironment.Withhold },
	},
	{
		Name: "agent.on_self_approval", Kind: Text, Default: "freeze", Values: SelfApprovalReactions, Env: "BETCODE_ON_SELF_APPROVAL", Live: true,
		Help: "what becomes of an agent that approved itself: it is frozen until a person decides, killed, or goes on; people are told in any case",
		into: func(d *Daemon) any { return &d.OnSelfApproval },
	},
	{
		Name: "agent.fence", Kind: Text, Default: "off", Values: Fences, Env: "BETCODE_AGENT_FENCE", Live: true,
		Help: "whether the kernel (Linux, Landlock) keeps agents that are started from now on from writing outside their project",
		into: func(d *Daemon) any { return &d.Fence },
	},
	{
		Name: "agent.fence_writable", Kind: Paths, Default: "off", Env: "BETCODE_AGENT_FENCE_WRITABLE", Live: true,
		Help: "what else a fenced agent may write to, with everything below",
		into: func(d *Daemon) any { return &d.FenceWritable },
	},
	{
		Name: "sessions.default_model", Kind: Text, Unset: "the agent's own", Aliases: []string{"model"}, Env: "BETCODE_MODEL", Live: true, Directory: true,
		Help: "the model of a new session that names none",
		into: func(d *Daemon) any { return &d.Model },
	},
	{
		Name: "sessions.auto_compact", Kind: Switch, Default: "true", Env: "BETCODE_AUTO_COMPACT", Live: true,
		Help: "whether sessions.auto_compact_threshold counts",
		into: func(d *Daemon) any { return &d.Past.AutoCompact },
	},
	{
		Name: "sessions.auto_compact_threshold", Kind: Number, Unit: "tokens", Default: "0", Min: "0", Max: "4294967295", Env: "BETCODE_AUTO_COMPACT_THRESHOLD", Live: true,
		Help: "a context of more tokens is compacted when its agent rests; 0 is never",
		into: func(d *Daemon) any { return &d.Past.CompactThreshold },
	},
	{
		Name: "sessions.lock_grace", Kind: Duration, Default: "10s", Min: "1s", Max: "1h", Env: "BETCODE_LOCK_GRACE",
		Help: "how long the input lock is kept after a crash for the client that held it",
		into: func(d *Daemon) any { return &d.LockGrace },
	},
	{
		Name: "resume.policy", Kind: Text, Default: "auto", Values: ResumePolicies, Env: "BETCODE_RESUME", Live: true, Directory: true,
		Help: "what follows when a turn is interrupted: it is continued, waits for a person, or is over",
		into: func(d *Daemon) any { return &d.Resume.Policy },
	},
	{
		Name: "resume.times", Kind: Number, Unit: "times", Default: "2", Min: "0", Max: "1000", Env: "BETCODE_RESUME_TIMES", Live: true,
		Help: "how often a turn is continued by itself",
		into: func(d *Daemon) any { return &d.Resume.Times },
	},
	{
		Name: "resume.grace", Kind: Duration, Default: "1m", Min: "1s", Max: "1h", Env: "BETCODE_CONTINUE_GRACE", Live: true,
		Help: "how long a resumed agent may take to go on by itself before it is told to",
		into: func(d *Daemon) any { return &d.Resume.Grace },
	},
	{
		Name: "permissions.default_ttl", Kind: Duration, Default: "7d", Min: "1h", Max: "30d", Env: "BETCODE_PERMISSION_TTL", Flag: "permission-ttl", Live: true,
		Help: "how long a permission request waits for a person",
		into: func(d *Daemon) any { return &d.PermissionTTL },
	},
	{
		Name: "permissions.min_ttl", Kind: Duration, Default: "1h", Min: "1h", Max: "30d", Env: "BETCODE_PERMISSION_MIN_TTL", Live: true,
		Help: "the least that permissions.default_ttl may be",
		into: func(d *Daemon) any { return &d.MinTTL },
	},
	{
		Name: "permissions.max_ttl", Kind: Duration, Default: "30d", Min: "1h", Max: "30d", Env: "BETCODE_PERMISSION_MAX_TTL", Live: true,
		Help: "the most that permissions.default_ttl may be",
		into: func(d *Daemon) any { return &d.MaxTTL },
	},
	{
		Name: "permissions.extend_on_activity", Kind: Switch, Default: "true", Env: "BETCODE_PERMISSION_EXTEND", Flag: "permission-extend", Live: true,
		Help: "whether the activity of a client starts that anew",
		into: func(d *Daemon) any { return &d.ExtendOnActivity },
	},
	{
		Name: "permissions.reminder_intervals", Kind: Durations, Default: "1h,24h", Min: "1m", Max: "30d", Env: "BETCODE_PERMISSION_REMINDERS", Flag: "permission-reminders", Live: true,
		Help: "when people are reminded of a request that waits",
		into: func(d *Daemon) any { return &d.Reminders },
	},
	{
		Name: "notify.exec", Kind: Command, Unset: "none", Env: "BETCODE_NOTIFY_EXEC", Flag: "notify-exec", Live: true, Private: true,
		Help: "program started for a reminder and what else people should know, or a JSON list with its arguments",
		into: func(d *Daemon) any { return &d.NotifyExec },
	},
	{
		Name: "gitlab.url", Kind: Text, Unset: "https://gitlab.com, if there is a token", Env: "BETCODE_GITLAB_URL",
		Help: "the GitLab that is asked about merge requests, pipelines and issues",
		into: func(d *Daemon) any { return &d.GitLab.URL },
	},
	{
		Name: "gitlab.token_file", Kind: Path, Unset: "BETCODE_GITLAB_TOKEN or GITLAB_TOKEN", Env: "BETCODE_GITLAB_TOKEN_FILE",
		Help: "a file that only you may read, with a token of that GitLab; it is read for each question",
		into: func(d *Daemon) any { return &d.GitLab.TokenFile },
	},
	{
		Name: "retention.max_bytes", Kind: Size, Default: "20GiB", Min: "1MiB", Off: true, Env: "BETCODE_RETENTION_MAX_BYTES",
		Help: "of the journal's sealed files together",
		into: func(d *Daemon) any { return &d.Past.Bytes },
	},
	{
		Name: "retention.max_age", Kind: Duration, Default: "off", Min: "1h", Off: true, Env: "BETCODE_RETENTION_MAX_AGE",
		Help: "of a sealed file of the journal",
		into: func(d *Daemon) any { return &d.Past.Age },
	},
	{
		Name: "retention.session_max_bytes", Kind: Size, Default: "off", Min: "1MiB", Off: true, Env: "BETCODE_RETENTION_SESSION_MAX_BYTES", Live: true,
		Help: "of the events of one session",
		into: func(d *Daemon) any { return &d.Past.SessionBytes },
	},
	{
		Name: "retention.session_max_age", Kind: Duration, Default: "off", Min: "1h", Off: true, Env: "BETCODE_RETENTION_SESSION_MAX_AGE", Live: true,
		Help: "of an event that a session keeps",
		into: func(d *Daemon) any { return &d.Past.SessionAge },
	},
	{
		Name: "limits.requests_per_second", Kind: Number, Unit: "requests", Default: "500", Min: "0", Max: "1000000", Env: "BETCODE_LIMIT_REQUESTS", Live: true,
		Help: "how many requests one client, or one token, may make in the long run; 0 is no limit",
		into: func(d *Daemon) any { return &d.Limits.PerSecond },
	},
	{
		Name: "limits.burst", Kind: Number, Unit: "requests", Default: "2000", Min: "1", Max: "10000000", Env: "BETCODE_LIMIT_BURST", Live: true,
		Help: "how many it may make at once",
		into: func(d *Daemon) any { return &d.Limits.Burst },
	},
	{
		Name: "audit.max_age", Kind: Duration, Default: "90d", Min: "24h", Off: true, Env: "BETCODE_AUDIT_MAX_AGE",
		Help: "how long an entry of the audit log is kept",
		into: func(d *Daemon) any { return &d.Audit.Age },
	},
	{
		Name: "audit.max_bytes", Kind: Size, Default: "256MiB", Min: "16MiB", Off: true, Env: "BETCODE_AUDIT_MAX_BYTES",
		Help: "how large the audit log may be; then the oldest goes first",
		into: func(d *Daemon) any { return &d.Audit.Bytes },
	},
	{
		Name: "journal.backup_every", Kind: Duration, Default: "off", Min: "1m", Off: true, Env: "BETCODE_JOURNAL_BACKUP_EVERY",
		Help: "how often the journal is copied into the directory backups of the state directory",
		into: func(d *Daemon) any { return &d.Backup.Every },
	},
	{
		Name: "journal.backup_keep", Kind: Number, Unit: "backups", Default: "3", Min: "1", Max: "1000", Env: "BETCODE_JOURNAL_BACKUP_KEEP",
		Help: "how many of these copies are kept",
		into: func(d *Daemon) any { return &d.Backup.Keep },
	},
	{
		Name: "disk.low", Kind: Size, Unset: "512MiB, or a twentieth of a small disk", Min: "1B", Env: "BETCODE_DISK_LOW",
		Help: "with less room on the disk of the state directory nothing new is begun",
		into: func(d *Daemon) any { return &d.Disk.Low },
	},
	{
		Name: "disk.archive_bytes", Kind: Size, Default: "5GiB", Min: "1B", Env: "BETCODE_ARCHIVE_BYTES",
		Help: "how much of what agents wrote is kept",
		into: func(d *Daemon) any { return &d.Disk.ArchiveBytes },
	},
	{
		Name: "disk.archive_age", Kind: Duration, Default: "30d", Min: "1s", Env: "BETCODE_ARCHIVE_AGE",
		Help: "how long what agents wrote is kept",
		into: func(d *Daemon) any { return &d.Disk.ArchiveAge },
	},
	{
		Name: "disk.spool_quota", Kind: Size, Default: "1GiB", Min: "1B", Env: "BETCODE_SPOOL_QUOTA",
		Help: "an agent that is so far ahead of the journal is frozen",
		into: func(d *Daemon) any { return &d.Disk.SpoolQuota },
	},
}
