package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"betcode/actors"
	"betcode/config"
	"betcode/grpcapi"
	"betcode/messages"
)

// liveSettings are the settings that hold, which change while the daemon runs.
// Anybody may ask for them; a reload replaces them.
type liveSettings struct {
	load   func() (config.Settings, error)
	agrees func(*config.File) error // see [config.Edit]
	now    atomic.Pointer[config.Settings]
	said   atomic.Pointer[map[string]bool] // what they say about feature flags
}

func (l *liveSettings) get() config.Settings   { return *l.now.Load() }
func (l *liveSettings) flags() map[string]bool { return *l.said.Load() }

func (l *liveSettings) set(s config.Settings) {
	said := flagsOf(s)
	l.now.Store(&s)
	l.said.Store(&said)
}

// liveOptions are the settings that count at once, as the actors are told.
func liveOptions(s config.Settings) actors.Live {
	c := s.Daemon()
	live := actors.Live{
		PermissionTTL: c.PermissionTTL, FixedTTL: !c.ExtendOnActivity, Reminders: c.Reminders, NotifyExec: c.NotifyExec,
		MaxAgents: c.MaxAgents, MaxWaiting: c.MaxWaiting, Silence: c.AgentSilence, ParkAfter: c.ParkAfter, WaitingHold: c.WaitingHold,
		SessionBytes: c.Past.SessionBytes, SessionAge: c.Past.SessionAge, CompactThreshold: c.Past.Threshold(),
		OnAlarm: actors.OnAlarm(c.OnSelfApproval), Fence: actors.Fence(c.Fence), FenceWritable: c.FenceWritable,
		Resume: messages.ResumePolicy(c.Resume.Policy), Continuations: c.Resume.Times, ContinueGrace: c.Resume.Grace,
	}
	if compaction, ok := messages.FeatureNamed("context_compaction"); ok && !compaction.On(flagsOf(s)) {
		live.CompactThreshold = 0
	}
	if live.Continuations == 0 {
		live.Continuations = -1 // that is how the actors are told "never"
	}
	return live
}

// limitsOf are how much callers may ask.
func limitsOf(c config.Daemon) grpcapi.Limits {
	return grpcapi.Limits{PerSecond: float64(c.Limits.PerSecond), Burst: c.Limits.Burst}
}

// rulesOf are the user's permission rules.
func rulesOf(s config.Settings) []actors.Rules {
	var all []actors.Rules
	for _, r := range s.Rules {
		all = append(all, actors.Rules{Allow: r.Allow, Ask: r.Ask, Deny: r.Deny, Source: r.Path, Lines: r.Lines})
	}
	return all
}

// watchSettings returns a channel that has a value when the files may have changed.
// Where files cannot be watched there is still SIGHUP.
func (d *daemon) watchSettings(ctx context.Context) (changed <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	heard := make(chan struct{}, 1)
	stopped, err := config.Watch(ctx, d.cfg.ConfigDir, func() {
		select {
		case heard <- struct{}{}:
		default: // serve has not looked yet
		}
	})
	if err != nil {
		d.log.Warn().Err(err).Msg("settings are not watched: SIGHUP has them read again")
		return heard, cancel
	}
	return heard, func() {
		cancel()
		<-stopped
	}
}

// reload reads the settings again. Settings that cannot be read change nothing.
// asked says that a person wants to hear of it in any case, from where the change comes.
func (d *daemon) reload(asked bool, from actors.RulesOrigin) {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	next, err := d.settings.load()
	old := d.settings.get()
	if err == nil && !asked && next.Same(old) && d.settingsError == "" {
		return
	}
	if err != nil {
		if text := err.Error(); asked || text != d.settingsError {
			d.log.Error().Err(err).Msg("settings are not read again: they stay as they are")
		}
		d.settingsRead(old, old, err)
		return
	}
	d.settings.set(next)
	cfg := next.Daemon()
	if err := d.setLogLevel(cfg.LogLevel); err != nil {
		d.log.Error().Err(err).Msg("the log stays as loud as it is")
	}
	d.setLogLimits(cfg.Log)
	d.system.ChangeRules(from, rulesOf(next)...)
	d.system.Change(liveOptions(next))
	d.server.SetLimits(limitsOf(cfg))
	d.settingsRead(next, old, nil)
}

// sayHowSettingsAre is for the beginning: they have been read.
func (d *daemon) sayHowSettingsAre() {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	d.settingsRead(d.settings.get(), config.Settings{}, nil)
}

// settingsRead logs what became of the settings, and says so to whoever asks how the
// daemon is.
//
// Whoever calls it has d.reloading.
func (d *daemon) settingsRead(now, before config.Settings, err error) {
	c := messages.ComponentHealth{Name: "settings", Serving: err == nil}
	d.settingsError = ""
	if err != nil {
		d.settingsError = err.Error()
		c.Message = strings.ReplaceAll(d.settingsError, "\n", "; ")
		c.Reason = "Settings cannot be read: those of before hold"
		d.components.tell(c)
		return
	}
	var rules int
	for _, r := range now.Rules {
		rules += len(r.Allow) + len(r.Ask) + len(r.Deny)
	}
	pending := now.Pending(d.started)
	if len(before.Values) > 0 {
		d.log.Info().Strs("changed", now.Changed(before)).Strs("need_restart", pending).Int("rules", rules).
			Msg("settings read again; agents that run are handed the rules")
	}
	for _, w := range now.Warnings {
		if !slices.ContainsFunc(before.Warnings, func(old *config.FileError) bool { return old.Error() == w.Error() }) {
			d.log.Warn().Str("where", w.Path).Int("line", w.Line).Msg(w.Err.Error())
		}
	}
	var words []string
	if n := len(now.Warnings); n > 0 {
		words = append(words, fmt.Sprintf("%d warnings, see 'betcode config check'", n))
	}
	if len(pending) > 0 {
		words = append(words, "a restart is needed for "+strings.Join(pending, ", "))
	}
	c.Message = strings.Join(words, "; ")
	d.components.tell(c)
}
