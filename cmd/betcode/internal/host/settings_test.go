package host

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"betcode/actors/settings"
	"betcode/config"
)

// loaded returns the actors' settings for variables and the content of settings.json.
func loaded(t *testing.T, variables map[string]string, file string) settings.Settings {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, config.SettingsFile), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	env := config.System()
	env.Getenv = func(name string) string { return variables[name] }
	env.Home = func() (string, error) { return dir, nil }
	s, err := config.Load(config.Flags{config.ConfigDirFlag: dir}, env)
	if err != nil {
		t.Fatal(err)
	}
	return actorSettings(s)
}

// The defaults of the settings table are those of the actors.
func TestDefaultsOfActors(t *testing.T) {
	got, want := reflect.ValueOf(loaded(t, nil, "{}")), reflect.ValueOf(settings.Default())
	for i := range want.NumField() {
		g, w := got.Field(i), want.Field(i)
		name := want.Type().Field(i).Name
		empty := w.Kind() == reflect.Slice && (g.Len()+w.Len() == 0 || name == "Rules") // files are named, whether they have rules or not
		limit := w.CanInt() && w.Int() == 0 && g.Int() <= 0                             // no limit
		if !empty && !limit && !reflect.DeepEqual(g.Interface(), w.Interface()) {
			t.Errorf("%s is %v without settings, and %v by default", name, g, w)
		}
	}
}

// Each setting of the actors follows a setting of the files.
func TestEachSettingReachesTheActors(t *testing.T) {
	got := reflect.ValueOf(loaded(t, map[string]string{
		"BETCODE_PERMISSION_TTL": "3d", "BETCODE_PERMISSION_EXTEND": "false", "BETCODE_PERMISSION_REMINDERS": "2h",
		"BETCODE_NOTIFY_EXEC": "notify-send", "BETCODE_MAX_AGENTS": "2", "BETCODE_MAX_WAITING": "3",
		"BETCODE_POOL_MIN_FREE_MEMORY": "64MiB", "BETCODE_AGENT_MEMORY_ESTIMATE": "200MiB",
		"BETCODE_AGENT_MEMORY_MAX": "2GiB", "BETCODE_AGENT_SILENCE": "3m",
		"BETCODE_PARK_AFTER": "4m", "BETCODE_POOL_WAITING_HOLD": "5m", "BETCODE_RETENTION_SESSION_MAX_BYTES": "8MiB",
		"BETCODE_RETENTION_SESSION_MAX_AGE": "9d", "BETCODE_SEARCH_MAX_BYTES": "64MiB", "BETCODE_AUTO_COMPACT_THRESHOLD": "1000", "BETCODE_ON_SELF_APPROVAL": "tell",
		"BETCODE_AGENT_FENCE": "project", "BETCODE_AGENT_FENCE_WRITABLE": "/srv/build", "BETCODE_RESUME": "ask",
		"BETCODE_RESUME_TIMES": "0", "BETCODE_CONTINUE_GRACE": "2m", "BETCODE_WORKTREE_SETUP_COMMANDS": "make", "BETCODE_WORKTREE_SETUP_TIME": "3m",
		"BETCODE_WORKTREE_RETENTION_DAYS":   "9",
		"BETCODE_SUBAGENTS_MAX_PER_SESSION": "4", "BETCODE_AGENTS_FLEET": "true", "BETCODE_SUBAGENTS_MAX_DEPTH": "5", "BETCODE_SUBAGENTS_AUTO_APPROVE_TIME": "6m",
		"BETCODE_NOTIFY_WEBHOOK": "https://example.org", "BETCODE_NOTIFY_WEBHOOK_SECRET_FILE": "/a", "BETCODE_NOTIFY_NTFY": "https://example.org/t",
		"BETCODE_NOTIFY_NTFY_TOKEN_FILE": "/b", "BETCODE_NOTIFY_QUIET_HOURS": "22:00-07:00",
		"BETCODE_BUDGET_SESSION_USD": "2.50", "BETCODE_BUDGET_DAY_USD": "7.50",
	}, `{"permissions": {"deny": ["WebFetch"]}}`))
	defaults := reflect.ValueOf(settings.Default())
	for i := range got.NumField() {
		if reflect.DeepEqual(got.Field(i).Interface(), defaults.Field(i).Interface()) {
			t.Errorf("%s is still the default, %v", got.Type().Field(i).Name, got.Field(i))
		}
	}
}
