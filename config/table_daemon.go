package config

// daemonSettings are the settings of the daemon itself and of its log.
var daemonSettings = []Setting{
	{
		Name: "daemon.socket_path", Kind: Path, Env: "BETCODE_SOCKET", Flag: "socket", Unset: "$XDG_RUNTIME_DIR/betcode/daemon.sock, or in the configuration directory",
		Help:  "the Unix socket that the daemon serves, on Windows the named pipe",
		field: func(d *Daemon) any { return &d.SocketPath }, fallback: Environment.defaultSocket,
	},
	{
		Name: "daemon.state_dir", Kind: Path, Env: "BETCODE_STATE_DIR", Flag: "state-dir", Unset: "$XDG_STATE_HOME/betcode, as the platform has it",
		Help:  "directory of the journal and of the agents' files",
		field: func(d *Daemon) any { return &d.StateDir }, fallback: func(e Environment, _ string) (string, error) { return e.stateDir() },
	},
	{
		Name: "daemon.listen_tcp", Kind: Text, Env: "BETCODE_LISTEN_TCP", Flag: "listen", Unset: "no TCP",
		Help:  "host:port to listen on as well, for callers with a token; beyond this machine with TLS only",
		field: func(d *Daemon) any { return &d.TCP.Address },
	},
	{
		Name: "daemon.listen_names", Kind: Text, Env: "BETCODE_LISTEN_NAMES", Unset: "localhost and addresses",
		Help:  "host names, separated by commas, under which callers may reach the daemon over TCP",
		field: func(d *Daemon) any { return &d.TCP.Names },
	},
	{
		Name: "daemon.listen_environment", Kind: Switch, Default: "false", Env: "BETCODE_LISTEN_ENVIRONMENT",
		Help:  "whether the environment of a client over TCP is used for the session that it begins; its token needs the scope approve",
		field: func(d *Daemon) any { return &d.TCP.Environment },
	},
	{
		Name: "daemon.tls_cert", Kind: Path, Env: "BETCODE_TLS_CERT", Unset: "no TLS",
		Help:  "the daemon's certificate with intermediate certificates, PEM",
		field: func(d *Daemon) any { return &d.TCP.CertFile },
	},
	{
		Name: "daemon.tls_key", Kind: Path, Env: "BETCODE_TLS_KEY", Unset: "no TLS",
		Help:  "the certificate's key, PEM, not readable by other users",
		field: func(d *Daemon) any { return &d.TCP.KeyFile },
	},
	{
		Name: "daemon.log_level", Kind: Text, Default: "info", Values: LogLevels, Env: "BETCODE_LOG_LEVEL", Flag: "log-level", Live: true,
		Help:  "level of the log",
		field: func(d *Daemon) any { return &d.LogLevel },
	},
	{
		Name: "daemon.log_file", Kind: Path, Env: "BETCODE_LOG_FILE", Flag: "log-file", Unset: "standard error",
		Help:  "file of the log",
		field: func(d *Daemon) any { return &d.LogFile },
	},
	{
		Name: "daemon.log_max_bytes", Kind: Size, Default: "16MiB", Min: "64KiB", Off: true, Env: "BETCODE_LOG_MAX_BYTES", Live: true,
		Help:  "largest size of a log file; a full file is renamed, and a new one begins",
		field: func(d *Daemon) any { return &d.Log.Bytes },
	},
	{
		Name: "daemon.log_files", Kind: Number, Unit: "files", Default: "3", Min: "1", Max: "99", Env: "BETCODE_LOG_FILES", Live: true,
		Help:  "number of log files, including the newest",
		field: func(d *Daemon) any { return &d.Log.Files },
	},
	{
		Name: "daemon.max_subprocesses", Kind: Number, Unit: "agents", Default: "5", Min: "1", Max: "10000", Env: "BETCODE_MAX_AGENTS", Flag: "max-agents", Live: true,
		Help:  "number of agents that run at the same time",
		field: func(d *Daemon) any { return &d.MaxAgents },
	},
	{
		Name: "daemon.max_waiting", Kind: Number, Unit: "sessions", Default: "50", Min: "1", Max: "100000", Env: "BETCODE_MAX_WAITING", Live: true,
		Help:  "number of sessions that may wait for a slot",
		field: func(d *Daemon) any { return &d.MaxWaiting },
	},
	{
		Name: "daemon.max_payload_bytes", Kind: Size, Default: "64MiB", Min: "4MiB", Max: "1GiB", Env: "BETCODE_MAX_PAYLOAD",
		Help:  "largest request, including attachments",
		field: func(d *Daemon) any { return &d.MaxPayload },
	},
	{
		Name: "daemon.memory_limit", Kind: Size, Unset: "no limit", Min: "1B", Env: "BETCODE_MEMORY_LIMIT",
		Help:  "memory limit; above 80 % of it the daemon is degraded",
		field: func(d *Daemon) any { return &d.MemoryLimit },
	},
	{
		Name: "daemon.keep_agents", Kind: Switch, Default: "false", Env: "BETCODE_KEEP_AGENTS", Flag: "keep-agents",
		Help:  "whether agents go on when a signal ends the daemon",
		field: func(d *Daemon) any { return &d.KeepAgents },
	},
}
