package config

// workSettings are the settings of notices, budgets, worktrees, subagents and GitLab.
var workSettings = []Setting{
	{
		Name: "notify.exec", Kind: Command, Unset: "none", Env: "BETCODE_NOTIFY_EXEC", Flag: "notify-exec", Live: true, Private: true,
		Help:  "program that is started for reminders and other notifications, or a JSON list with its arguments",
		field: func(d *Daemon) any { return &d.NotifyExec },
	},
	{
		Name: "notify.webhook", Kind: Text, Unset: "none", Env: "BETCODE_NOTIFY_WEBHOOK", Live: true, Private: true,
		Help:  "URL to which reminders and other notifications are posted as JSON; https, or http on this machine",
		field: func(d *Daemon) any { return &d.Notify.Webhook },
	},
	{
		Name: "notify.webhook_secret_file", Kind: Path, Unset: "unsigned", Env: "BETCODE_NOTIFY_WEBHOOK_SECRET_FILE", Live: true,
		Help:  "file with the key of X-Betcode-Signature, the HMAC-SHA256 of the body; readable by you only",
		field: func(d *Daemon) any { return &d.Notify.WebhookSecret },
	},
	{
		Name: "notify.ntfy", Kind: Text, Unset: "none", Env: "BETCODE_NOTIFY_NTFY", Live: true, Private: true,
		Help:  "URL of a topic on a server of ntfy, to which notifications are posted",
		field: func(d *Daemon) any { return &d.Notify.Ntfy },
	},
	{
		Name: "notify.ntfy_token_file", Kind: Path, Unset: "no token", Env: "BETCODE_NOTIFY_NTFY_TOKEN_FILE", Live: true,
		Help:  "file with an access token for that server; readable by you only",
		field: func(d *Daemon) any { return &d.Notify.NtfyToken },
	},
	{
		Name: "notify.quiet_hours", Kind: Text, Unset: "none", Env: "BETCODE_NOTIFY_QUIET_HOURS", Live: true,
		Help:  "part of each local day in which notifications wait, for example 22:00-07:00",
		field: func(d *Daemon) any { return &d.Notify.Quiet },
	},
	{
		Name: "budget.session_usd", Kind: Money, Default: "off", Min: "0.000001", Max: "1000000.00", Off: true, Env: "BETCODE_BUDGET_SESSION_USD", Live: true,
		Help:  "US dollars at which a new session pauses and asks, unless it is begun with a budget of its own",
		field: func(d *Daemon) any { return &d.Budget.SessionMicros },
	},
	{
		Name: "budget.session_tokens", Kind: Number, Unit: "tokens", Default: "0", Min: "0", Max: "1000000000000", Env: "BETCODE_BUDGET_SESSION_TOKENS", Live: true,
		Help:  "tokens (input, output and writes to the cache) at which a new session pauses and asks, likewise; 0 = no limit",
		field: func(d *Daemon) any { return &d.Budget.SessionTokens },
	},
	{
		Name: "budget.session_time", Kind: Duration, Default: "off", Min: "1s", Max: "365d", Off: true, Env: "BETCODE_BUDGET_SESSION_TIME", Live: true,
		Help:  "working time of turns at which a new session pauses and asks, likewise",
		field: func(d *Daemon) any { return &d.Budget.SessionTime },
	},
	{
		Name: "budget.day_usd", Kind: Money, Default: "off", Min: "0.000001", Max: "1000000.00", Off: true, Env: "BETCODE_BUDGET_DAY_USD", Live: true,
		Help:  "US dollars of all sessions together at which no turn begins before the next local day or an answer",
		field: func(d *Daemon) any { return &d.Budget.DayMicros },
	},
	{
		Name: "budget.day_tokens", Kind: Number, Unit: "tokens", Default: "0", Min: "0", Max: "1000000000000", Env: "BETCODE_BUDGET_DAY_TOKENS", Live: true,
		Help:  "tokens of all sessions together (input, output and writes to the cache), likewise; 0 = no limit",
		field: func(d *Daemon) any { return &d.Budget.DayTokens },
	},
	{
		Name: "budget.day_time", Kind: Duration, Default: "off", Min: "1s", Max: "365d", Off: true, Env: "BETCODE_BUDGET_DAY_TIME", Live: true,
		Help:  "working time of turns of all sessions together, likewise",
		field: func(d *Daemon) any { return &d.Budget.DayTime },
	},
	{
		Name: "worktree.setup_commands", Kind: Shell, Unset: "none", Env: "BETCODE_WORKTREE_SETUP_COMMANDS", Live: true,
		Help:  "shell commands that run in a new worktree unless something in it is not trusted; .betcode/worktree-setup.sh of the repository runs instead of them",
		field: func(d *Daemon) any { return &d.Worktree.SetupCommands },
	},
	{
		Name: "worktree.setup_time", Kind: Duration, Default: "10m", Min: "1s", Max: "24h", Env: "BETCODE_WORKTREE_SETUP_TIME", Live: true,
		Help:  "time limit of the setup of a worktree; what runs then is killed",
		field: func(d *Daemon) any { return &d.Worktree.SetupTime },
	},
	{
		Name: "worktree.retention_days", Kind: Number, Unit: "days", Default: "0", Min: "0", Max: "36500", Env: "BETCODE_WORKTREE_RETENTION_DAYS", Live: true,
		Help:  "worktrees of the daemon that were not used for so many days are removed, if no session works in them and no work would be lost; ignored files go with them, branches stay; 0 = never",
		field: func(d *Daemon) any { return &d.Worktree.RetentionDays },
	},
	{
		Name: "subagents.max_per_session", Kind: Number, Unit: "subagents", Default: "50", Min: "1", Max: "10000", Env: "BETCODE_SUBAGENTS_MAX_PER_SESSION", Live: true,
		Help:  "number of subagents of one session that may be under way",
		field: func(d *Daemon) any { return &d.Subagents.Limit },
	},
	{
		Name: "subagents.max_depth", Kind: Number, Unit: "levels", Default: "3", Min: "1", Max: "10", Env: "BETCODE_SUBAGENTS_MAX_DEPTH", Live: true,
		Help:  "how deep subagents may spawn subagents",
		field: func(d *Daemon) any { return &d.Subagents.Depth },
	},
	{
		Name: "subagents.auto_approve_time", Kind: Duration, Default: "30m", Min: "1s", Max: "24h", Env: "BETCODE_SUBAGENTS_AUTO_APPROVE_TIME", Live: true,
		Help:  "how long calls of an auto-approved subagent are approved, unless its spawn sets another time; then it is ended",
		field: func(d *Daemon) any { return &d.Subagents.AutoApproveTime },
	},
	{
		Name: "gitlab.url", Kind: Text, Unset: "https://gitlab.com, if there is a token", Env: "BETCODE_GITLAB_URL",
		Help:  "GitLab with the merge requests, pipelines and issues to show",
		field: func(d *Daemon) any { return &d.GitLab.URL },
	},
	{
		Name: "gitlab.token_file", Kind: Path, Unset: "BETCODE_GITLAB_TOKEN or GITLAB_TOKEN", Env: "BETCODE_GITLAB_TOKEN_FILE",
		Help:  "file with a token of that GitLab, readable by you only; it is read for each call",
		field: func(d *Daemon) any { return &d.GitLab.TokenFile },
	},
}
