package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"betcode/grpcapi/gitlab"
)

// maxTokenBytes is far more than a token has.
const maxTokenBytes = 4096

// gitLab is what answers for the GitLab that the settings name, if any.
func (d *daemon) gitLab() *gitlab.Service {
	service := gitlab.New(gitlab.Options{URL: d.cfg.GitLab.URL, Token: tokenOf(d.cfg.GitLab.TokenFile, os.Getenv)})
	if err := service.Problem(); err != nil {
		d.log.Error().Err(err).Msg("no GitLab is asked")
	}
	return service
}

// tokenOf is where a token comes from: a file, which is read each time because tokens
// are replaced, or the environment; nil if there is neither.
func tokenOf(file string, getenv func(string) string) func() (string, error) {
	if file != "" {
		return func() (string, error) { return readToken(file) }
	}
	token := strings.TrimSpace(cmp.Or(getenv("BETCODE_GITLAB_TOKEN"), getenv("GITLAB_TOKEN")))
	if token == "" {
		return nil
	}
	return func() (string, error) { return token, checkToken(token) }
}

// readToken refuses a file that others may read: what is in it is known to them.
func readToken(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s may be read by others; say chmod 600, and replace the token", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxTokenBytes))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	return token, checkToken(token)
}

// checkToken refuses what cannot be one, without showing it.
func checkToken(token string) error {
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("it is empty, or no token")
	}
	return nil
}
