package settings

import (
	"strings"
	"testing"

	"betcode/config"
	pb "betcode/proto/betcode/v1"
)

// The command reports when a change takes effect: at once, after a restart, or not at all.
func TestChangeApplied(t *testing.T) {
	setting := func(name, value string) config.Value {
		s, err := config.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		return config.Value{Setting: s, Value: value, Origin: config.Origin{Source: config.FromUser}}
	}
	unset := setting("daemon.log_level", "")
	unset.Origin.Source, unset.Value = config.FromDefault, unset.Setting.Default
	level, socket := setting("daemon.log_level", "debug"), setting("daemon.log_file", "/log")
	for name, test := range map[string]struct {
		file    config.Value
		running *pb.SettingValue // nil: no daemon
		want    string
	}{
		"no daemon":                    {level, nil, "takes effect when a daemon starts"},
		"live":                         {level, &pb.SettingValue{Value: "debug", Source: "user", Live: true}, "daemon.log_level is debug now."},
		"removed":                      {unset, &pb.SettingValue{Value: unset.Public(), Source: "default", Live: true}, "has its default again: info."},
		"needs a restart":              {socket, &pb.SettingValue{Value: "/log", Source: "user", RestartNeeded: true, RunningValue: "/old"}, "daemon.log_file will be /log: the running daemon keeps /old until 'betcode daemon restart'."},
		"needs a restart, was empty":   {socket, &pb.SettingValue{Value: "/log", Source: "user", RestartNeeded: true}, "the running daemon keeps (" + socket.Unset + ") until"},
		"changed before, and not read": {socket, &pb.SettingValue{Value: "/other", Source: "user", RestartNeeded: true, RunningValue: "/old"}, "not read by the running daemon yet; it is still /other"},
		"as it was":                    {socket, &pb.SettingValue{Value: "/log", Source: "user"}, "is /log in the running daemon already"},
		"not read":                     {socket, &pb.SettingValue{Value: "", Source: "default"}, "not read by the running daemon yet; it is still ("},
		"outdone by a flag":            {level, &pb.SettingValue{Value: "info", Source: "flag", Origin: "log-level"}, "started with --log-level, which takes precedence. It is still info."},
		"outdone by variables":         {level, &pb.SettingValue{Value: "info", Source: "environment", Origin: "BETCODE_LOG_LEVEL"}, "BETCODE_LOG_LEVEL, which"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := appliedText(test.file.Setting, test.file, test.running, test.running != nil); !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A changed feature flag is in effect only when the daemon has read it.
func TestFeatureApplied(t *testing.T) {
	for _, test := range []struct {
		runs, read bool
		want       string
	}{{false, false, "takes effect when a daemon starts"}, {true, false, "not read by the running daemon yet"}, {true, true, "is in effect"}} {
		if got := featureText("feature_flags.x", test.runs, test.read); !strings.Contains(got, test.want) {
			t.Errorf("runs %t, read %t: got %q, want %q", test.runs, test.read, got, test.want)
		}
	}
}
