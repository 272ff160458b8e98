package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"betcode/messages"
)

const (
	opLogin   = "log in at the portal"
	maxAnswer = 64 << 10
	// minInterval is the shortest polling interval.
	minInterval = 5 * time.Second
	// maxLifetime bounds the polling for a code, regardless of the lifetime that the portal names.
	maxLifetime = 30 * time.Minute
)

// Code is what a person enters at the portal to log this machine in.
type Code struct {
	device   string
	User     string `json:"user_code"`
	URL      string `json:"verification_uri"`
	Lifetime time.Duration
	interval time.Duration
}

// Login logs in with the device flow and returns a token. It passes the code that a person must
// approve at the portal to show. wait waits for a time, or until ctx ends.
func (c *Caller) Login(ctx context.Context, hostname string, show func(Code), wait func(context.Context, time.Duration) error) (string, error) {
	code, err := c.code(ctx, hostname)
	if err != nil {
		return "", err
	}
	show(code)
	for spent := time.Duration(0); spent < code.Lifetime; spent += code.interval {
		if err := wait(ctx, code.interval); err != nil {
			return "", err
		}
		token, err := c.poll(ctx, code)
		if err != nil || token != "" {
			return token, err
		}
	}
	return "", expired()
}

func expired() error {
	return messages.Errorf(opLogin, messages.DeadlineExceeded, "the code was not approved in time").WithHint("run 'betcode proxy login' again")
}

func (c *Caller) code(ctx context.Context, hostname string) (Code, error) {
	var answer struct {
		Code
		Device    string `json:"device_code"`
		ExpiresIn int64  `json:"expires_in"`
		Interval  int64  `json:"interval"`
	}
	status, err := c.post(ctx, "api/auth/device/code", map[string]any{"hostname": hostname, "client_type": "cli"}, &answer)
	switch {
	case err != nil:
		return Code{}, err
	case status == http.StatusServiceUnavailable:
		return Code{}, messages.Errorf(opLogin, messages.Unavailable, "the portal has no logins (is it in dev mode?)").WithHint("run 'betcode proxy' without a token")
	case status != http.StatusOK || answer.Device == "" || answer.User == "":
		return Code{}, messages.Errorf(opLogin, messages.Unavailable, "the portal returned no code (status %d)", status)
	}
	code := answer.Code
	code.device = answer.Device
	code.Lifetime = min(time.Duration(max(min(answer.ExpiresIn, 1<<30), 1))*time.Second, maxLifetime)
	code.interval = max(min(time.Duration(min(answer.Interval, 1<<30))*time.Second, time.Minute), minInterval)
	return code, nil
}

// poll polls once; an empty token means that the code is not decided yet.
func (c *Caller) poll(ctx context.Context, code Code) (string, error) {
	var answer struct {
		Status string `json:"status"`
		Token  string `json:"access_token"`
	}
	status, err := c.post(ctx, "api/auth/device/poll", map[string]any{"device_code": code.device}, &answer)
	switch {
	case err != nil:
		return "", err
	case status == http.StatusTooManyRequests, answer.Status == "pending":
		return "", nil
	case answer.Status == "complete" && answer.Token != "":
		return answer.Token, nil
	case answer.Status == "denied":
		return "", messages.Errorf(opLogin, messages.Denied, "the login was denied at the portal")
	case answer.Status == "expired", status == http.StatusNotFound:
		return "", expired()
	}
	return "", messages.Errorf(opLogin, messages.Unavailable, "the portal answered with status %d", status)
}

// post sends a JSON object and reads one. If the body is not JSON, only the status matters.
func (c *Caller) post(ctx context.Context, path string, body, answer any) (status int, err error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address.page(path), bytes.NewReader(raw))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(r)
	if err != nil {
		return 0, unreached(opLogin, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", opLogin, err)
	}
	if json.Unmarshal(text, answer) != nil && response.StatusCode == http.StatusOK {
		return 0, messages.Errorf(opLogin, messages.Invalid, "the answer of the portal is invalid")
	}
	return response.StatusCode, nil
}
