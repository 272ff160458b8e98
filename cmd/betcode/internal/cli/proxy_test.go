package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// The token comes from the first place that has one, and is not left in the environment: a daemon that
// the command starts would hand it to its agents.
func TestPortalToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, flag, variable, init string
		want                       string
	}{
		{file, "from-flag", "from-variable", "from-init", "from-file"},
		{"", "from-flag", "from-variable", "from-init", "from-flag"},
		{"", "", "from-variable", "from-init", "from-variable"},
		{"", "", "", "from-init", "from-init"},
		{"", "", "", "", ""},
		{"", "two words", "", "", "!"},
	} {
		t.Setenv(portalToken, c.variable)
		flags := flag.NewFlagSet("proxy", flag.ContinueOnError)
		flags.String("auth-token-file", c.file, "")
		flags.String("auth-token", c.flag, "")
		var stderr bytes.Buffer
		p := newProgram(Build{}, strings.NewReader(""), &bytes.Buffer{}, &stderr, nil)
		got, err := p.portalToken(cli.NewContext(nil, flags, nil), c.init)
		if refused := c.want == "!"; refused != (err != nil) || !refused && got != c.want {
			t.Errorf("%+v: %q %v", c, got, err)
		}
		if warned := strings.Contains(stderr.String(), "list of processes"); warned != (c.flag != "" && c.file == "") {
			t.Errorf("%+v: %q", c, stderr.String())
		}
		if _, there := os.LookupEnv(portalToken); there {
			t.Errorf("%+v: the token is left in the environment", c)
		}
	}
}
