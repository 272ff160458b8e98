package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestResume(t *testing.T) {
	for name, test := range map[string]struct {
		env   map[string]string
		file  string
		want  Resume
		wrong string // in the error
	}{
		"defaults":            {want: Resume{"auto", new(2)}},
		"environment":         {env: map[string]string{"BETCODE_RESUME": "ask", "BETCODE_RESUME_TIMES": "0"}, want: Resume{"ask", new(0)}},
		"file":                {file: `{"model":"x","resume":{"policy":"never","times":7,"later":[1]}}`, want: Resume{"never", new(7)}},
		"part of a file":      {file: `{"resume":{"times":0}}`, want: Resume{"auto", new(0)}},
		"environment is more": {env: map[string]string{"BETCODE_RESUME": "ask"}, file: `{"resume":{"policy":"never","times":7}}`, want: Resume{"ask", new(7)}},
		"no policy":           {env: map[string]string{"BETCODE_RESUME": "maybe"}, wrong: `"maybe"`},
		"no number":           {env: map[string]string{"BETCODE_RESUME_TIMES": "often"}, wrong: `"often"`},
		"too many":            {env: map[string]string{"BETCODE_RESUME_TIMES": "1001"}, wrong: "from 0 to 1000"},
		"no policy in a file": {file: "{\n \"resume\": {\"policy\": 7}}", wrong: "settings.json:2:"},
		"half a time":         {file: `{"resume":{"times":1.5}}`, wrong: "resume.times"},
		"no object":           {file: `{"resume":"ask"}`, wrong: "must be an object"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if test.file != "" {
				if err := os.WriteFile(filepath.Join(dir, SettingsFile), []byte(test.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env := map[string]string{"HOME": "/h"}
			for key, value := range test.env {
				env[key] = value
			}
			d, err := ResolveDaemon(DaemonFlags{}, world("linux", env))
			got := Resume{}
			if err == nil {
				got, err = ReadResume(dir, d.Resume)
			}
			switch {
			case test.wrong != "":
				if err == nil || !strings.Contains(err.Error(), test.wrong) {
					t.Errorf("%v does not say %q", err, test.wrong)
				}
			case err != nil || got.Policy != test.want.Policy || *got.Times != *test.want.Times:
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
