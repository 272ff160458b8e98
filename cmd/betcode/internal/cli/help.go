package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"betcode/cmd/betcode/internal/exit"
	"betcode/config"
)

func (p *program) exitCodesCommand() *cli.Command {
	return &cli.Command{
		Name: "exit-codes", Usage: "list what the exit codes mean", Category: helpTopics,
		Action: func(*cli.Context) error {
			w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
			for _, e := range exit.Meanings() {
				fmt.Fprintf(w, "%d\t%s\t%s\n", e.Code, e.Name, e.Text)
			}
			return w.Flush()
		},
	}
}

func (p *program) environmentCommand() *cli.Command {
	return &cli.Command{
		Name: "environment", Usage: "list the environment variables that are read", Category: helpTopics,
		Action: func(*cli.Context) error {
			w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
			for _, v := range environment() {
				fmt.Fprintf(w, "%s\t%s\n", v[0], v[1])
			}
			return w.Flush()
		},
	}
}

// environment is every variable that counts, with what it is for.
func environment() [][2]string {
	all := [][2]string{
		{"BETCODE_CONFIG_DIR", "directory of settings.json and daemon.toml"},
		{"BETCODE_AUTOSTART", "1: start a daemon if none runs"},
		{"BETCODE_ADDRESS", "host:port of a daemon that is reached over TCP"},
		{"BETCODE_TOKEN_FILE", "file with the token for it"},
		{"BETCODE_TLS", "1: it speaks TLS"},
		{"BETCODE_TLS_CA", "file with the certificate of the authority that signed the daemon's"},
		{"BETCODE_CONNECT_TIMEOUT", "how long to wait for a lost daemon when no person watches"},
	}
	for _, s := range config.Table() {
		if s.Env != "" {
			all = append(all, [2]string{s.Env, s.Help + " (" + s.Name + ")"})
		}
	}
	return append(all,
		[2]string{"BETCODE_GITLAB_TOKEN, GITLAB_TOKEN", "a token of the GitLab, where gitlab.token_file names none (daemon)"},
		[2]string{"NO_COLOR", "no colours"})
}
