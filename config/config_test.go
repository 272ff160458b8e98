package config

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world is an environment of a test; dirs are the existing directories.
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
		flags                 Flags
		config, state, socket string
	}{
		"linux": {
			world("linux", home, "/run/user/1000"),
			nil,
			"/home/me/.config/betcode", "/home/me/.local/state/betcode", "/run/user/1000/betcode/daemon.sock",
		},
		"no runtime directory": {
			world("linux", home),
			nil,
			"/home/me/.config/betcode", "/home/me/.local/state/betcode", "/home/me/.config/betcode/daemon.sock",
		},
		"XDG": {
			world("linux", with("XDG_CONFIG_HOME", "/c", "XDG_STATE_HOME", "/s", "XDG_RUNTIME_DIR", "/r"), "/run/user/1000"),
			nil,
			"/c/betcode", "/s/betcode", "/r/betcode/daemon.sock",
		},
		"relative XDG is ignored": {
			world("linux", with("XDG_CONFIG_HOME", "c", "XDG_STATE_HOME", "s", "XDG_RUNTIME_DIR", "r")),
			nil,
			"/home/me/.config/betcode", "/home/me/.local/state/betcode", "/home/me/.config/betcode/daemon.sock",
		},
		"environment": {
			world("linux", map[string]string{"BETCODE_CONFIG_DIR": "/c", "BETCODE_STATE_DIR": "s/"}),
			nil,
			"/c", "/here/s", "/c/daemon.sock",
		},
		"flags win": {
			world("linux", with("BETCODE_CONFIG_DIR", "/c", "BETCODE_STATE_DIR", "/s", "BETCODE_SOCKET", "/x")),
			Flags{ConfigDirFlag: "/fc", "daemon.state_dir": "../fs", "daemon.socket_path": "f.sock"},
			"/fc", "/fs", "/here/f.sock",
		},
		"macOS": {
			world("darwin", home, "/run/user/1000"),
			nil,
			"/home/me/Library/Application Support/betcode", "/home/me/Library/Application Support/betcode/state",
			"/home/me/Library/Application Support/betcode/daemon.sock",
		},
		"Windows": {
			world("windows", with("LOCALAPPDATA", "/home/me/AppData/Local", "USERNAME", "me")),
			nil,
			"/home/me/.betcode", "/home/me/AppData/Local/betcode", `\\.\pipe\betcode-daemon-me`,
		},
		"another pipe": {
			world("windows", with("USERNAME", "me", "BETCODE_SOCKET", `\\.\pipe\mine`)),
			nil,
			"/home/me/.betcode", "/home/me/AppData/Local/betcode", `\\.\pipe\mine`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			settings, err := Load(test.flags, test.env)
			if err != nil {
				t.Fatal(err)
			}
			got := settings.Daemon()
			if got.ConfigDir != test.config || got.StateDir != test.state || got.SocketPath != test.socket {
				t.Errorf("got %q %q %q\nwant %q %q %q", got.ConfigDir, got.StateDir, got.SocketPath, test.config, test.state, test.socket)
			}
			client, err := ResolveClient(ClientFlags{SocketPath: test.flags["daemon.socket_path"], ConfigDir: test.flags[ConfigDirFlag]}, test.env)
			if err != nil || client.SocketPath != got.SocketPath {
				t.Errorf("the client looks at %q, %v", client.SocketPath, err)
			}
		})
	}
}

func TestPipes(t *testing.T) {
	for user, want := range map[string]string{"": "user", "Ann Lee": "Ann Lee", `a\b/c:d`: "a_b_c_d", "m\x00e": "m_e"} {
		e := world("windows", map[string]string{"USERNAME": user})
		got, err := e.defaultSocket("")
		if err != nil || got != `\\.\pipe\betcode-daemon-`+want {
			t.Errorf("the pipe of %q is %q, %v", user, got, err)
		}
		if err := e.checkSocket(got); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{`C:\Users\me\daemon.sock`, `\\server\pipe\betcode`, `\\.\pipe\`, `\\.\pipe\a\b`, `\\.\pipe\` + strings.Repeat("x", pipeRoom)} {
		if err := world("windows", nil).checkSocket(path); err == nil || !strings.Contains(err.Error(), `\\.\pipe\NAME`) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if world("linux", nil).isPipe(`\\.\pipe\x`) {
		t.Error("there are pipes on Linux")
	}
}

func TestClient(t *testing.T) {
	client, err := ResolveClient(ClientFlags{ConnectTimeout: "5s"}, world("linux", map[string]string{"HOME": "/h", "BETCODE_AUTOSTART": "1"}))
	if err != nil || !client.AutoStart || client.ConnectTimeout != 5*time.Second {
		t.Errorf("client %+v, %v", client, err)
	}
	if _, err := ResolveClient(ClientFlags{}, world("linux", map[string]string{"HOME": "/h", "BETCODE_AUTOSTART": "maybe"})); err == nil {
		t.Error("BETCODE_AUTOSTART=maybe was taken")
	}
	if _, err := ResolveClient(ClientFlags{ConnectTimeout: "-1s"}, world("linux", map[string]string{"HOME": "/h"})); err == nil {
		t.Error("a negative timeout was taken")
	}
	if _, err := ResolveClient(ClientFlags{}, world("linux", nil)); err == nil || !strings.Contains(err.Error(), "BETCODE_CONFIG_DIR") {
		t.Errorf("without a home: %v", err)
	}
	if client, err := ResolveClient(ClientFlags{SocketPath: "/s"}, world("linux", nil)); err != nil || client.SocketPath != "/s" {
		t.Errorf("without a home, with a socket: %+v, %v", client, err)
	}

	// The socket in settings.json is found, and an invalid file is ignored.
	dir := t.TempDir()
	env := world("linux", map[string]string{"BETCODE_CONFIG_DIR": dir, "BETCODE_STATE_DIR": "/s", "XDG_RUNTIME_DIR": "/r"})
	write(t, dir, SettingsFile, `{"daemon": {"socket_path": "mine.sock"}}`)
	if client, err := ResolveClient(ClientFlags{}, env); err != nil || client.SocketPath != filepath.Join(dir, "mine.sock") {
		t.Errorf("%+v, %v", client, err)
	}
	write(t, dir, SettingsFile, `{`)
	if client, err := ResolveClient(ClientFlags{}, env); err != nil || client.SocketPath != "/r/betcode/daemon.sock" {
		t.Errorf("%+v, %v", client, err)
	}
}

// write creates a file of a test.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
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
			got, err := ReadPermissionsFile(path)
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
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"permissions":{"deny":["a",1,[2]],"allow":{}}}`), false)
	f.Add([]byte(`{"retention":{"max_bytes":"20GiB","max_age":[]},"sessions":{"auto_compact_threshold":1e99}}`), false)
	f.Add([]byte("{}{}"), false)
	f.Add([]byte("[disk]\nlow = 1979-05-27\n[[permissions]]\nallow = [1, {a.b = 2}]\n"), true)
	f.Fuzz(func(t *testing.T, raw []byte, isTOML bool) {
		name := SettingsFile
		if isTOML {
			name = TOMLFile
		}
		file := &File{Path: name, Features: map[string]Feature{}, values: map[string]entry{}}
		var wrong *FileError
		if err := file.parse(raw); err != nil && !errors.As(err, &wrong) {
			t.Errorf("%v says no place", err)
		}
		lines := 1 + bytes.Count(raw, []byte("\n"))
		for _, e := range append(file.Warnings, wrong) {
			if e != nil && (e.Line < 1 || e.Line > lines || e.Column < 1) {
				t.Errorf("%v of %d lines", e, lines)
			}
		}
		for name, e := range file.values {
			if s := find(name); !s.within(e.value) {
				t.Errorf("%s is %v", name, e.value)
			}
		}
	})
}
