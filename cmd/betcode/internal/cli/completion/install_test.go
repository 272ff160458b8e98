package completion

import (
	"path/filepath"
	"testing"
)

// A completion is written below directories of the user. Relative ones, which would be of the current directory, do not count.
func TestInstallIgnoresRelativeDirectories(t *testing.T) {
	home := t.TempDir()
	for name, test := range map[string]struct {
		environ map[string]string
		want    string // in the home directory; empty: refused
	}{
		"HOME alone":       {map[string]string{"HOME": home}, ".local/share/bash-completion/completions/betcode"},
		"a data directory": {map[string]string{"HOME": home, "XDG_DATA_HOME": filepath.Join(home, "data")}, "data/bash-completion/completions/betcode"},
		"a relative one":   {map[string]string{"HOME": home, "XDG_DATA_HOME": "data"}, ".local/share/bash-completion/completions/betcode"},
		"a relative HOME":  {map[string]string{"HOME": "home"}, ""},
		"both":             {map[string]string{"HOME": "home", "XDG_DATA_HOME": filepath.Join(home, "data"), "XDG_CONFIG_HOME": "../x"}, ""},
		"nothing":          {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			written := ""
			replace := func(path string, _ []byte) error {
				written = path
				return nil
			}
			path, err := Install("bash", func(name string) string { return test.environ[name] }, replace)
			want := test.want
			if want != "" {
				want = filepath.Join(home, want)
			}
			if path != want || written != want || (err == nil) != (want != "") {
				t.Errorf("%q, %q, %v", path, written, err)
			}
			if left, _ := filepath.Glob("*"); len(left) > 0 {
				t.Errorf("the current directory has %v", left)
			}
		})
	}
}
