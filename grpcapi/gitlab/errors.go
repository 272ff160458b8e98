package gitlab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	api "gitlab.com/gitlab-org/api/client-go"

	"betcode/messages"
)

// errElsewhere refuses a redirect to another host, which must not get the token.
var errElsewhere = errors.New("it redirects to another host; set BETCODE_GITLAB_URL to the one it is at")

// tokenError is a failure to read the token.
type tokenError struct{ error }

// Unwrap returns the cause.
func (e tokenError) Unwrap() error { return e.error }

// maxAnswer bounds the text of the GitLab in an error.
const maxAnswer = 200

// kinds is the only table from the GitLab's statuses to kinds.
var kinds = map[int]struct {
	kind messages.Kind
	hint string
}{
	http.StatusBadRequest:          {messages.Invalid, ""},
	http.StatusUnauthorized:        {messages.Unauthenticated, "The GitLab does not accept the daemon's token: it is wrong, expired or revoked."},
	http.StatusForbidden:           {messages.Denied, "The daemon's token may not do this: it needs the scope read_api, and its user a role in the project."},
	http.StatusNotFound:            {messages.NotFound, "Or the daemon's token may not see it: a GitLab does not distinguish these."},
	http.StatusConflict:            {messages.Aborted, ""},
	http.StatusUnprocessableEntity: {messages.Invalid, ""},
	http.StatusTooManyRequests:     {messages.Exhausted, "Wait until the GitLab allows more."},
}

// failed converts the error of a request to a [messages.Error]. answer may be nil.
func (q *request) failed(answer *api.Response, err error) error {
	var token tokenError
	switch {
	case errors.As(err, &token):
		return messages.Errorf(q.op, messages.WrongState, "the token cannot be read: %w", token.error).
			WithHint("Check BETCODE_GITLAB_TOKEN_FILE of the daemon.")
	case errors.Is(q.ctx.Err(), context.DeadlineExceeded):
		return messages.Errorf(q.op, messages.DeadlineExceeded, "the GitLab did not answer in time").WithHint("Try again later.")
	case q.ctx.Err() != nil:
		return &messages.Error{Op: q.op, Kind: messages.Canceled, Err: q.ctx.Err()}
	case answer == nil || answer.Response == nil:
		return messages.Errorf(q.op, messages.Unavailable, "the GitLab cannot be reached: %w", err).
			WithHint("Check BETCODE_GITLAB_URL of the daemon, and whether the daemon's machine can reach the host.")
	case answer.StatusCode < 300:
		return messages.Errorf(q.op, messages.Unavailable, "the GitLab's answer cannot be read: %s", cut(err.Error(), maxAnswer)).
			WithHint("Check that BETCODE_GITLAB_URL of the daemon is the URL of a GitLab.")
	}
	return refused(q.op, answer.StatusCode, answer.Header, err)
}

// refused returns the error for a request that the GitLab refused.
func refused(op string, status int, header http.Header, err error) *messages.Error {
	row, known := kinds[status]
	if !known {
		row.kind = messages.Unavailable
		if status < 500 {
			row.kind = messages.Internal // the daemon sent an invalid request
		}
	}
	why := ""
	var response *api.ErrorResponse
	if errors.As(err, &response) && response.Message != "" {
		why = ": " + cut(response.Message, maxAnswer)
	}
	e := messages.Errorf(op, row.kind, "the GitLab responded with %d %s%s", status, http.StatusText(status), why).
		WithHint(row.hint).With("gitlab_status", strconv.Itoa(status))
	if status == http.StatusTooManyRequests {
		wait := retryAfter(header, time.Now())
		return e.WithCode(messages.RateLimited).WithHint(fmt.Sprintf("Try again in %s.", wait.Round(time.Second))).
			With(messages.RetryAfter, strconv.FormatInt(wait.Milliseconds(), 10))
	}
	return e
}

// The wait for a rate limit: the default without Retry-After, and the maximum.
const (
	retryDefault = time.Minute
	retryMax     = time.Hour
)

// retryAfter returns how long to wait before the next request.
func retryAfter(header http.Header, now time.Time) time.Duration {
	wait := retryDefault
	if seconds, err := strconv.ParseUint(header.Get("Retry-After"), 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(header.Get("Retry-After")); err == nil {
		wait = at.Sub(now)
	} else if unix, err := strconv.ParseInt(header.Get("RateLimit-Reset"), 10, 63); err == nil {
		wait = time.Unix(unix, 0).Sub(now)
	}
	return min(max(wait, time.Second), retryMax)
}
