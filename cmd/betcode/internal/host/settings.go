package host

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"betcode/actors"
	"betcode/actors/settings"
	"betcode/cmd/betcode/internal/features"
	"betcode/config"
	"betcode/grpcapi"
	"betcode/messages"
)

// liveSettings are the settings in force. reload replaces them; any goroutine may read them.
type liveSettings struct {
	load   func() (config.Settings, error)
	agrees func(*config.File) error // see [config.Edit]
	now    atomic.Pointer[config.Settings]
	flags  atomic.Pointer[map[string]bool] // the feature flags they set, by name
}

func (l *liveSettings) get() config.Settings      { return *l.now.Load() }
func (l *liveSettings) features() map[string]bool { return *l.flags.Load() }

func (l *liveSettings) set(s config.Settings) {
	flags := features.Set(s)
	l.now.Store(&s)
	l.flags.Store(&flags)
}

// actorSettings returns the settings that take effect at once, as the actors have them.
func actorSettings(s config.Settings) settings.Settings {
	c := s.Daemon()
	now := settings.Settings{
		PermissionTTL: c.PermissionTTL, Extend: c.ExtendOnActivity, Reminders: c.Reminders, NotifyExec: c.NotifyExec,
		MaxAgents: c.MaxAgents, MaxWaiting: c.MaxWaiting, MinFreeMemory: c.MinFreeMemory, AgentMemory: c.AgentMemory,
		MemoryMax: c.MemoryMax,
		Silence:   c.AgentSilence, ParkAfter: c.ParkAfter, WaitingHold: c.WaitingHold,
		SessionBytes: c.Past.SessionBytes, SessionAge: c.Past.SessionAge, SearchBytes: c.Past.SearchBytes, CompactThreshold: c.Past.Threshold(),
		OnAlarm: settings.OnAlarm(c.OnSelfApproval), Fence: settings.Fence(c.Fence), FenceWritable: c.FenceWritable,
		GiveFleet: c.AgentsFleet,
		Resume:    messages.ResumePolicy(c.Resume.Policy), Continuations: uint32(c.Resume.Times), ContinueGrace: c.Resume.Grace,
		SetupCommands: c.Worktree.SetupCommands, SetupTime: c.Worktree.SetupTime,
		WorktreeRetention: time.Duration(c.Worktree.RetentionDays) * 24 * time.Hour,
		Subagents:         c.Subagents.Limit, SubagentDepth: c.Subagents.Depth, AutoApproveTime: c.Subagents.AutoApproveTime,
		SessionBudget: budgetOf(c.Budget.SessionMicros, c.Budget.SessionTokens, c.Budget.SessionTime),
		DayBudget:     budgetOf(c.Budget.DayMicros, c.Budget.DayTokens, c.Budget.DayTime),
		Rules:         rulesOf(s),
	}
	now.NotifyWebhook, now.NotifyWebhookSecret = c.Notify.Webhook, c.Notify.WebhookSecret
	now.NotifyNtfy, now.NotifyNtfyToken = c.Notify.Ntfy, c.Notify.NtfyToken
	if from, to, err := config.QuietHours(c.Notify.Quiet); err == nil { // the settings were checked
		now.QuietHours = settings.QuietHours{From: from, To: to}
	}
	if compaction, ok := messages.FeatureNamed("context_compaction"); ok && !compaction.On(features.Set(s)) {
		now.CompactThreshold = 0
	}
	return now
}

// budgetOf returns a limit; "off" is no limit.
func budgetOf(micros, tokens int64, work time.Duration) messages.BudgetLimit {
	return messages.BudgetLimit{Micros: uint64(max(micros, 0)), Tokens: uint64(max(tokens, 0)), Work: max(work, 0)}
}

// limitsOf returns the rate limits of callers.
func limitsOf(c config.Daemon) grpcapi.Limits {
	return grpcapi.Limits{PerSecond: float64(c.Limits.PerSecond), Burst: c.Limits.Burst}
}

// rulesOf returns the user's permission rules.
func rulesOf(s config.Settings) []settings.Rules {
	var all []settings.Rules
	for _, r := range s.Rules {
		all = append(all, settings.Rules{Allow: r.Allow, Ask: r.Ask, Deny: r.Deny, Source: r.Path, Lines: r.Lines})
	}
	return all
}

// watchSettings returns a channel with a value when settings files may have changed. If they cannot be watched, SIGHUP
// still reloads them.
func (d *daemon) watchSettings(ctx context.Context) (changed <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	changes := make(chan struct{}, 1)
	stopped, err := config.Watch(ctx, d.cfg.ConfigDir, func() {
		select {
		case changes <- struct{}{}:
		default: // serve has not handled the former change yet
		}
	})
	if err != nil {
		d.log.Warn().Err(err).Msg("settings files are not watched; send SIGHUP to reload them")
		return changes, cancel
	}
	return changes, func() {
		cancel()
		<-stopped
	}
}

// reload reads the settings again and applies them. If they cannot be read, the former ones stay in force. requested
// means that a person asked for it: then the result is logged even if nothing changed. from is the origin of the change
// in the audit log.
func (d *daemon) reload(requested bool, from actors.RulesOrigin) {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	next, err := d.settings.load()
	old := d.settings.get()
	if err == nil && !requested && next.Same(old) && d.settingsError == "" {
		return
	}
	if err != nil {
		if text := err.Error(); requested || text != d.settingsError {
			d.log.Error().Err(err).Msg("settings cannot be read; the former ones stay in force")
		}
		d.settingsRead(old, old, err)
		return
	}
	d.settings.set(next)
	cfg := next.Daemon()
	if err := d.setLogLevel(cfg.LogLevel); err != nil {
		d.log.Error().Err(err).Msg("log level unchanged")
	}
	d.setLogLimits(cfg.Log)
	d.system.Change(from, actorSettings(next))
	d.server.SetLimits(limitsOf(cfg))
	d.settingsRead(next, old, nil)
}

// reportSettings reports the settings that were read at the start.
func (d *daemon) reportSettings() {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	d.settingsRead(d.settings.get(), config.Settings{}, nil)
}

// settingsRead logs the result of reading the settings and reports it to health. The caller holds d.reloading.
func (d *daemon) settingsRead(now, before config.Settings, err error) {
	c := messages.ComponentHealth{Name: "settings", Serving: err == nil}
	d.settingsError = ""
	if err != nil {
		d.settingsError = err.Error()
		c.Message = strings.ReplaceAll(d.settingsError, "\n", "; ")
		c.Reason = "Settings cannot be read; the former ones stay in force"
		d.components.report(c)
		return
	}
	var rules int
	for _, r := range now.Rules {
		rules += len(r.Allow) + len(r.Ask) + len(r.Deny)
	}
	pending := now.Pending(d.started)
	if len(before.Values) > 0 {
		d.log.Info().Strs("changed", now.Changed(before)).Strs("need_restart", pending).Int("rules", rules).
			Msg("settings reloaded; running agents get the new rules")
	}
	for _, w := range now.Warnings {
		if !slices.ContainsFunc(before.Warnings, func(old *config.FileError) bool { return old.Error() == w.Error() }) {
			d.log.Warn().Str("where", w.Path).Int("line", w.Line).Msg(w.Err.Error())
		}
	}
	var parts []string
	if n := len(now.Warnings); n > 0 {
		parts = append(parts, fmt.Sprintf("%d warnings, see 'betcode config check'", n))
	}
	if len(pending) > 0 {
		parts = append(parts, "a restart is needed for "+strings.Join(pending, ", "))
	}
	c.Message = strings.Join(parts, "; ")
	d.components.report(c)
}
