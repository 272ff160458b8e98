package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReadPast(t *testing.T) {
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		file string
		want Past
		says string
	}{
		"nothing": {file: `{"permissions":{}}`},
		"all of it": {
			file: `{"sessions":{"auto_compact":true,"auto_compact_threshold":150000,"default_model":"opus"},
				"retention":{"max_bytes":"20GiB","max_age":"365d","session_max_bytes":2147483648,"session_max_age":"36h","x":1}}`,
			want: Past{CompactThreshold: 150_000, Bytes: 20 << 30, Age: 365 * day, SessionBytes: 2 << 30, SessionAge: 36 * time.Hour},
		},
		"off": {
			file: `{"sessions":{"auto_compact_threshold":1000,"auto_compact":false},
				"retention":{"max_bytes":"off","max_age":"off","session_max_bytes":"off","session_max_age":"off"}}`,
			want: Past{Bytes: -1, Age: -1, SessionBytes: -1, SessionAge: -1},
		},
		"units":          {file: `{"retention":{"max_bytes":"64 MB"}}`, want: Past{Bytes: 64 << 20}},
		"half a token":   {file: `{"sessions":{"auto_compact_threshold":1.5}}`, says: "number of tokens"},
		"no switch":      {file: `{"sessions":{"auto_compact":1}}`, says: ":1:29: sessions.auto_compact must be true or false"},
		"too small":      {file: `{"retention":{"session_max_bytes":"1KB"}}`, says: "retention.session_max_bytes must be a size of 1MiB"},
		"too short":      {file: `{"retention":{"max_age":"1m"}}`, says: "retention.max_age must be a time of 1h"},
		"no unit":        {file: `{"retention":{"max_bytes":"20 cows"}}`, says: "retention.max_bytes"},
		"beyond numbers": {file: `{"retention":{"max_bytes":"99999999TiB"}}`, says: "retention.max_bytes"},
		"no size":        {file: `{"retention":{"max_bytes":["1GiB"]}}`, says: "retention.max_bytes"},
		"no time":        {file: `{"retention":{"session_max_age":7}}`, says: "retention.session_max_age"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, SettingsFile), []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := ReadPast(dir)
			if test.says != "" {
				if err == nil || !strings.Contains(err.Error(), test.says) {
					t.Errorf("%v does not say %q", err, test.says)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	if got, err := ReadPast(t.TempDir()); err != nil || got != (Past{}) {
		t.Errorf("no file: %+v, %v", got, err)
	}
}

func FuzzPast(f *testing.F) {
	f.Add([]byte(`{"retention":{"max_bytes":"20GiB","max_age":[]},"sessions":{"auto_compact_threshold":1e99}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, at, err := parsePast(raw)
		if err != nil && (at < 0 || at > int64(len(raw))) {
			t.Errorf("error at %d of %d: %v", at, len(raw), err)
		}
		if err == nil && (p.Bytes < -1 || p.Age < -1 || p.SessionBytes < -1 || p.SessionAge < -1) {
			t.Errorf("%+v", p)
		}
	})
}
