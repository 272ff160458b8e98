package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world is an environment of a test; dirs are the directories there are.
func world(goos string, env map[string]string, dirs ...string) Environment {
	return Environment{
		OS: goos, UID: 1000,
		Getenv: func(name string) string { return env[name] },
		Home: func() (string, error) {
			if home, ok := env["HOME"]; ok {
				return home, nil
			}
			return "", errors.New("HOME is not set")
		},
		Getwd: func() (string, error) { return "/here", nil },
		IsDir: func(path string) bool {
			for _, dir := range dirs {
				if dir == path {
					return true
				}
			}
			return false
		},
	}
}

func TestPaths(t *testing.T) {
	home := map[string]string{"HOME": "/home/me"}
	with := func(pairs ...string) map[string]string {
		env := map[string]string{"HOME": "/home/me"}
		for i := 0; i < len(pairs); i += 2 {
			env[pairs[i]] = pairs[i+1]
		}
		return env
	}
	for name, test := range map[string]struct {
		env                   Environment
		flags                 DaemonFlags
		config, state, socket string
	}{
		"linux": {
			world("linux", home, "/run/user/1000"),
			DaemonFlags{},
			"/home/me/.config/betcode", "/home/me/.local/state/betcode", "/run/user/1000/betcode/daemon.sock",
		},
		"no runtime directory": {
			world("linux", home),
			DaemonFlags{},
			"/home/me/.config/betcode", "/home/me/.local/state/betcode", "/home/me/.config/betcode/daemon.sock",
		},
		"XDG": {
			world("linux", with("XDG_CONFIG_HOME", "/c", "XDG_STATE_HOME", "/s", "XDG_RUNTIME_DIR", "/r"), "/run/user/1000"),
			DaemonFlags{},
			"/c/betcode", "/s/betcode", "/r/betcode/daemon.sock",
		},
		"relative XDG is ignored": {
			world("linux", with("XDG_CONFIG_HOME", "c", "XDG_STATE_HOME", "s", "XDG_RUNTIME_DIR", "r")),
			DaemonFlags{},
			"/home/me/.config/betcode", "/home/me/.local/state/betcode", "/home/me/.config/betcode/daemon.sock",
		},
		"environment": {
			world("linux", map[string]string{"BETCODE_CONFIG_DIR": "/c", "BETCODE_STATE_DIR": "s/"}),
			DaemonFlags{},
			"/c", "/here/s", "/c/daemon.sock",
		},
		"flags win": {
			world("linux", with("BETCODE_CONFIG_DIR", "/c", "BETCODE_STATE_DIR", "/s", "BETCODE_SOCKET", "/x")),
			DaemonFlags{ConfigDir: "/fc", StateDir: "../fs", SocketPath: "f.sock"},
			"/fc", "/fs", "/here/f.sock",
		},
		"macOS": {
			world("darwin", home, "/run/user/1000"),
			DaemonFlags{},
			"/home/me/Library/Application Support/betcode", "/home/me/Library/Application Support/betcode/state",
			"/home/me/Library/Application Support/betcode/daemon.sock",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ResolveDaemon(test.flags, test.env)
			if err != nil {
				t.Fatal(err)
			}
			if got.ConfigDir != test.config || got.StateDir != test.state || got.SocketPath != test.socket {
				t.Errorf("got %q %q %q\nwant %q %q %q", got.ConfigDir, got.StateDir, got.SocketPath, test.config, test.state, test.socket)
			}
			client, err := ResolveClient(ClientFlags{SocketPath: test.flags.SocketPath, ConfigDir: test.flags.ConfigDir}, test.env)
			if err != nil || client.SocketPath != got.SocketPath {
				t.Errorf("the client looks at %q, %v", client.SocketPath, err)
			}
		})
	}
}

func TestValues(t *testing.T) {
	env := world("linux", map[string]string{
		"HOME": "/h", "BETCODE_LOG_LEVEL": "DEBUG", "BETCODE_LOG_FILE": "x.log", "BETCODE_CLAUDE": "claude",
		"BETCODE_KEEP_AGENTS": "1", "BETCODE_LOCK_GRACE": "5m", "BETCODE_MAX_AGENTS": "3", "BETCODE_PERMISSION_TTL": "36h",
	})
	got, err := ResolveDaemon(DaemonFlags{PermissionTTL: "30d"}, env)
	if err != nil {
		t.Fatal(err)
	}
	if !got.KeepAgents || got.LogLevel != "debug" || got.LogFile != "/here/x.log" || got.ClaudePath != "claude" || got.MaxAgents != 3 || got.LockGrace != 5*time.Minute || got.PermissionTTL != 30*24*time.Hour {
		t.Errorf("got %+v", got)
	}
	got, err = ResolveDaemon(DaemonFlags{ClaudePath: "./claude"}, world("linux", map[string]string{"HOME": "/h"}))
	if err != nil || got.KeepAgents || got.ClaudePath != "/here/claude" || got.LogLevel != "info" || got.MaxAgents != DefaultMaxAgents || got.PermissionTTL != DefaultPermissionTTL {
		t.Errorf("got %+v, %v", got, err)
	}
	client, err := ResolveClient(ClientFlags{ConnectTimeout: "5s"}, world("linux", map[string]string{"HOME": "/h", "BETCODE_AUTOSTART": "1"}))
	if err != nil || !client.AutoStart || client.ConnectTimeout != 5*time.Second {
		t.Errorf("client %+v, %v", client, err)
	}
}

func TestBadValues(t *testing.T) {
	env := world("linux", map[string]string{"HOME": "/h"})
	for says, flags := range map[string]DaemonFlags{
		"trace":         {LogLevel: "loud"},
		"1 to 10000":    {MaxAgents: "0"},
		"no number":     {MaxAgents: "many"},
		"1h and 30d":    {PermissionTTL: "60s"},
		"7d":            {PermissionTTL: "soon"},
		"host:port":     {ListenTCP: "nowhere"},
		"not built yet": {ListenTCP: "127.0.0.1:50051"},
		"107":           {SocketPath: "/" + strings.Repeat("s", 107)},
	} {
		if _, err := ResolveDaemon(flags, env); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v does not say %q", flags, err, says)
		}
	}
	if _, err := ResolveDaemon(DaemonFlags{SocketPath: "/" + strings.Repeat("s", 106)}, env); err != nil {
		t.Errorf("a path that fits: %v", err)
	}
	if _, err := ResolveDaemon(DaemonFlags{}, world("linux", map[string]string{"HOME": "/h", "BETCODE_LOCK_GRACE": "0s"})); err == nil {
		t.Error("no grace at all was taken")
	}
	if _, err := ResolveDaemon(DaemonFlags{}, world("linux", nil)); err == nil || !strings.Contains(err.Error(), "BETCODE_CONFIG_DIR") {
		t.Errorf("without a home: %v", err)
	}
	if _, err := ResolveClient(ClientFlags{}, world("linux", map[string]string{"HOME": "/h", "BETCODE_AUTOSTART": "maybe"})); err == nil {
		t.Error("BETCODE_AUTOSTART=maybe was taken")
	}
	if _, err := ResolveClient(ClientFlags{ConnectTimeout: "-1s"}, env); err == nil {
		t.Error("a negative timeout was taken")
	}
}

func TestReadPermissions(t *testing.T) {
	for name, test := range map[string]struct {
		file string
		want Permissions
		says string // after the file's name
	}{
		"empty object": {"{}", Permissions{}, ""},
		"rules": {
			`{"model":"opus","permissions":{"defaultMode":"plan","deny":["Bash(rm *)","WebFetch"],"allow":["Read"],"ask":[]},"hooks":{"a":[1,{"b":null}]}}`,
			Permissions{Deny: []string{"Bash(rm *)", "WebFetch"}, Allow: []string{"Read"}},
			"",
		},
		"byte order mark": {"\ufeff{}", Permissions{}, ""},
		"syntax":          {"{\n  \"permissions\": {\n    \"deny\": [\"a\",]\n  }\n}", Permissions{}, ":3:18: "},
		"cut off":         {"{\n", Permissions{}, ":1:2: "},
		"not an object":   {"[1]", Permissions{}, ":1:1: the settings must be an object"},
		"no list":         {"{\"permissions\":\n {\"deny\": \"Bash\"}}", Permissions{}, ":2:11: permissions.deny must be a list"},
		"no text":         {"{\"permissions\": {\"allow\": [\n\"a\",\n  7]}}", Permissions{}, ":3:3: a rule in permissions.allow must be text"},
		"list in list":    {"{\"permissions\": {\"allow\": [[]]}}", Permissions{}, ": a rule in permissions.allow must be text"},
		"empty rule":      {"{\"permissions\": {\"ask\": [\" \"]}}", Permissions{}, ": a rule in permissions.ask is empty"},
		"option":          {"{\"permissions\": {\"deny\": [\"--x\"]}}", Permissions{}, "begins with a dash"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, SettingsFile)
			if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := ReadPermissions(dir)
			if test.says != "" {
				if err == nil || !strings.HasPrefix(err.Error(), path+":") || !strings.Contains(err.Error(), test.says) {
					t.Errorf("%v does not say %q", err, test.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if strings.Join(got.Deny, "|") != strings.Join(test.want.Deny, "|") || strings.Join(got.Allow, "|") != strings.Join(test.want.Allow, "|") || len(got.Ask) != 0 {
				t.Errorf("got %+v", got)
			}
		})
	}
	if got, err := ReadPermissions(t.TempDir()); err != nil || len(got.Deny) != 0 {
		t.Errorf("no file: %+v %v", got, err)
	}
}

func FuzzPermissions(f *testing.F) {
	f.Add([]byte(`{"permissions":{"deny":["a",1,[2]],"allow":{}}}`))
	f.Add([]byte("{}{}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, at, err := parsePermissions(raw)
		if err != nil && (at < 0 || at > int64(len(raw))) {
			t.Errorf("error at %d of %d: %v", at, len(raw), err)
		}
		position(raw, at)
	})
}
