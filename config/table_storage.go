package config

// storageSettings are the bounds of what is stored, and of requests.
var storageSettings = []Setting{
	{
		Name: "retention.max_bytes", Kind: Size, Default: "20GiB", Min: "1MiB", Off: true, Env: "BETCODE_RETENTION_MAX_BYTES",
		Help:  "total size of the journal's sealed files",
		field: func(d *Daemon) any { return &d.Past.Bytes },
	},
	{
		Name: "retention.max_age", Kind: Duration, Default: "off", Min: "1h", Off: true, Env: "BETCODE_RETENTION_MAX_AGE",
		Help:  "age of a sealed file of the journal",
		field: func(d *Daemon) any { return &d.Past.Age },
	},
	{
		Name: "retention.session_max_bytes", Kind: Size, Default: "off", Min: "1MiB", Off: true, Env: "BETCODE_RETENTION_SESSION_MAX_BYTES", Live: true,
		Help:  "size of the events of one session",
		field: func(d *Daemon) any { return &d.Past.SessionBytes },
	},
	{
		Name: "retention.session_max_age", Kind: Duration, Default: "off", Min: "1h", Off: true, Env: "BETCODE_RETENTION_SESSION_MAX_AGE", Live: true,
		Help:  "age of the events of a session",
		field: func(d *Daemon) any { return &d.Past.SessionAge },
	},
	{
		Name: "search.max_bytes", Kind: Size, Default: "2GiB", Min: "16MiB", Off: true, Env: "BETCODE_SEARCH_MAX_BYTES", Live: true,
		Help:  "size of the index of 'betcode search', which drops the oldest history first; off = there is no index",
		field: func(d *Daemon) any { return &d.Past.SearchBytes },
	},
	{
		Name: "limits.requests_per_second", Kind: Number, Unit: "requests", Default: "500", Min: "0", Max: "1000000", Env: "BETCODE_LIMIT_REQUESTS", Live: true,
		Help:  "average requests per second of one client or token; 0 = no limit",
		field: func(d *Daemon) any { return &d.Limits.PerSecond },
	},
	{
		Name: "limits.burst", Kind: Number, Unit: "requests", Default: "2000", Min: "1", Max: "10000000", Env: "BETCODE_LIMIT_BURST", Live: true,
		Help:  "largest burst of these requests",
		field: func(d *Daemon) any { return &d.Limits.Burst },
	},
	{
		Name: "audit.max_age", Kind: Duration, Default: "90d", Min: "24h", Off: true, Env: "BETCODE_AUDIT_MAX_AGE",
		Help:  "age of an entry of the audit log",
		field: func(d *Daemon) any { return &d.Audit.Age },
	},
	{
		Name: "audit.max_bytes", Kind: Size, Default: "256MiB", Min: "16MiB", Off: true, Env: "BETCODE_AUDIT_MAX_BYTES",
		Help:  "size of the audit log; the oldest entries are removed first",
		field: func(d *Daemon) any { return &d.Audit.Bytes },
	},
	{
		Name: "journal.backup_every", Kind: Duration, Default: "off", Min: "1m", Off: true, Env: "BETCODE_JOURNAL_BACKUP_EVERY",
		Help:  "interval of copies of the journal in the directory backups of the state directory",
		field: func(d *Daemon) any { return &d.Backup.Every },
	},
	{
		Name: "journal.backup_keep", Kind: Number, Unit: "backups", Default: "3", Min: "1", Max: "1000", Env: "BETCODE_JOURNAL_BACKUP_KEEP",
		Help:  "number of these copies to keep",
		field: func(d *Daemon) any { return &d.Backup.Keep },
	},
	{
		Name: "disk.low", Kind: Size, Unset: "512MiB, or a twentieth of a small disk", Min: "1B", Env: "BETCODE_DISK_LOW",
		Help:  "free space of the state directory's disk below which no turn begins",
		field: func(d *Daemon) any { return &d.Disk.Low },
	},
	{
		Name: "disk.archive_bytes", Kind: Size, Default: "5GiB", Min: "1B", Env: "BETCODE_ARCHIVE_BYTES",
		Help:  "size of the archived output of agents",
		field: func(d *Daemon) any { return &d.Disk.ArchiveBytes },
	},
	{
		Name: "disk.archive_age", Kind: Duration, Default: "30d", Min: "1s", Env: "BETCODE_ARCHIVE_AGE",
		Help:  "age of the archived output of agents",
		field: func(d *Daemon) any { return &d.Disk.ArchiveAge },
	},
	{
		Name: "disk.spool_quota", Kind: Size, Default: "1GiB", Min: "1B", Env: "BETCODE_SPOOL_QUOTA",
		Help:  "output of an agent beyond the journal at which the agent is frozen",
		field: func(d *Daemon) any { return &d.Disk.SpoolQuota },
	},
}
