package host

import (
	"cmp"
	"os"
	"strings"

	"betcode/cmd/betcode/internal/secret"
	"betcode/grpcapi/gitlab"
)

// gitLab returns the service for the GitLab that the settings name, if any.
func (d *daemon) gitLab() *gitlab.Service {
	service := gitlab.New(gitlab.Options{URL: d.cfg.GitLab.URL, Token: tokenOf(d.cfg.GitLab.TokenFile, os.Getenv)})
	if err := service.Problem(); err != nil {
		d.log.Error().Err(err).Msg("GitLab commands are not available")
	}
	return service
}

// tokenOf returns the source of the token: a file, which is read each time because tokens are replaced, or the
// environment; nil if there is neither.
func tokenOf(file string, getenv func(string) string) func() (string, error) {
	if file != "" {
		return func() (string, error) { return secret.Read(file) }
	}
	token := strings.TrimSpace(cmp.Or(getenv("BETCODE_GITLAB_TOKEN"), getenv("GITLAB_TOKEN")))
	if token == "" {
		return nil
	}
	return func() (string, error) { return token, secret.Check(token) }
}
