package config

// sessionSettings are the settings of sessions, of interrupted turns and of permission requests.
var sessionSettings = []Setting{
	{
		Name: "sessions.default_model", Kind: Text, Unset: "the agent's own", Aliases: []string{"model"}, Env: "BETCODE_MODEL", Live: true, Directory: true,
		Help:  "model of a new session without one of its own",
		field: func(d *Daemon) any { return &d.Model },
	},
	{
		Name: "sessions.auto_compact", Kind: Switch, Default: "true", Env: "BETCODE_AUTO_COMPACT", Live: true,
		Help:  "whether sessions.auto_compact_threshold takes effect",
		field: func(d *Daemon) any { return &d.Past.AutoCompact },
	},
	{
		Name: "sessions.auto_compact_threshold", Kind: Number, Unit: "tokens", Default: "0", Min: "0", Max: "4294967295", Env: "BETCODE_AUTO_COMPACT_THRESHOLD", Live: true,
		Help:  "tokens above which a context is compacted when its agent is idle; 0 = never",
		field: func(d *Daemon) any { return &d.Past.CompactThreshold },
	},
	{
		Name: "sessions.lock_grace", Kind: Duration, Default: "10s", Min: "1s", Max: "1h", Env: "BETCODE_LOCK_GRACE",
		Help:  "time for which the input lock is reserved for its holder after the daemon has ended or crashed",
		field: func(d *Daemon) any { return &d.LockGrace },
	},
	{
		Name: "resume.policy", Kind: Text, Default: "auto", Values: ResumePolicies, Env: "BETCODE_RESUME", Live: true, Directory: true,
		Help:  "what happens to an interrupted turn: it is continued, waits for a person, or ends",
		field: func(d *Daemon) any { return &d.Resume.Policy },
	},
	{
		Name: "resume.times", Kind: Number, Unit: "times", Default: "2", Min: "0", Max: "1000", Env: "BETCODE_RESUME_TIMES", Live: true,
		Help:  "number of times that the daemon continues a turn by itself",
		field: func(d *Daemon) any { return &d.Resume.Times },
	},
	{
		Name: "resume.grace", Kind: Duration, Default: "1m", Min: "1s", Max: "1h", Env: "BETCODE_CONTINUE_GRACE", Live: true,
		Help:  "time for which the daemon waits for a resumed agent to continue by itself",
		field: func(d *Daemon) any { return &d.Resume.Grace },
	},
	{
		Name: "permissions.default_ttl", Kind: Duration, Default: "7d", Min: "1h", Max: "30d", Env: "BETCODE_PERMISSION_TTL", Flag: "permission-ttl", Live: true,
		Help:  "time for which a permission request waits for a person",
		field: func(d *Daemon) any { return &d.PermissionTTL },
	},
	{
		Name: "permissions.min_ttl", Kind: Duration, Default: "1h", Min: "1h", Max: "30d", Env: "BETCODE_PERMISSION_MIN_TTL", Live: true,
		Help:  "lower bound of permissions.default_ttl",
		field: func(d *Daemon) any { return &d.MinTTL },
	},
	{
		Name: "permissions.max_ttl", Kind: Duration, Default: "30d", Min: "1h", Max: "30d", Env: "BETCODE_PERMISSION_MAX_TTL", Live: true,
		Help:  "upper bound of permissions.default_ttl",
		field: func(d *Daemon) any { return &d.MaxTTL },
	},
	{
		Name: "permissions.extend_on_activity", Kind: Switch, Default: "true", Env: "BETCODE_PERMISSION_EXTEND", Flag: "permission-extend", Live: true,
		Help:  "whether activity of a client restarts this time",
		field: func(d *Daemon) any { return &d.ExtendOnActivity },
	},
	{
		Name: "permissions.reminder_intervals", Kind: Durations, Default: "1h,24h", Min: "1m", Max: "30d", Env: "BETCODE_PERMISSION_REMINDERS", Flag: "permission-reminders", Live: true,
		Help:  "times after which people are reminded of an open request",
		field: func(d *Daemon) any { return &d.Reminders },
	},
}
