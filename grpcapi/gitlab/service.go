package gitlab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	api "gitlab.com/gitlab-org/api/client-go"

	"betcode/messages"
	pb "betcode/proto/betcode/v1"
)

// DefaultURL is the URL of gitlab.com.
const DefaultURL = "https://gitlab.com"

// defaultTimeout is below the 30 s after which published clients give up.
const defaultTimeout = 20 * time.Second

// Options are the URL and the token of a GitLab.
type Options struct {
	URL     string                 // of the GitLab, as in a browser; empty = DefaultURL if there is a token
	Token   func() (string, error) // nil: anonymous access
	Timeout time.Duration          // of one call; 0 = 20 s
}

// Service implements GitLabService.
type Service struct {
	pb.UnimplementedGitLabServiceServer
	client  *api.Client
	problem error // why every call is refused; nil = it is not
	timeout time.Duration
}

// New returns a service. It never fails: without URL and token, or with a URL that would send the
// token in the clear, the service refuses every call with FAILED_PRECONDITION, so that the rest of
// the daemon can serve.
func New(o Options) *Service {
	s := &Service{timeout: cmp.Or(o.Timeout, defaultTimeout), problem: errUnset}
	if o.URL != "" || o.Token != nil {
		s.client, s.problem = connect(o)
	}
	return s
}

// Problem returns why every call is refused. It is nil if calls are served, or if no GitLab is configured.
func (s *Service) Problem() error {
	if errors.Is(s.problem, errUnset) {
		return nil
	}
	return s.problem
}

var errUnset = errors.New("no GitLab is configured")

func connect(o Options) (*api.Client, error) {
	base, err := checkURL(cmp.Or(o.URL, DefaultURL))
	if err != nil {
		return nil, err
	}
	return api.NewAuthSourceClient(bearer{o.Token},
		api.WithBaseURL(base),
		api.WithHTTPClient(&http.Client{Transport: bounded{http.DefaultTransport}, CheckRedirect: stayThere}),
		api.WithoutRetries(),
		api.WithErrorHandler(retryablehttp.PassthroughErrorHandler),
		api.WithCustomLimiter(unlimited{}),
		api.WithUserAgent("betcode"),
		api.WithURLWarningLogger(slog.New(slog.DiscardHandler)),
	)
}

// checkURL refuses text that is not the URL of a GitLab, and URLs that must not get a token.
func checkURL(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", errors.New("the URL of the GitLab is invalid") // err would quote the URL, which may contain a secret
	case u.User != nil:
		return "", errors.New("the URL of the GitLab has a user in it; give the token as BETCODE_GITLAB_TOKEN")
	case u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%s is no URL of a GitLab; write for example https://gitlab.example.com", u.Redacted())
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "", fmt.Errorf("the token would be sent in the clear to %s; use https", u.Redacted())
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%s is neither http nor https", u.Redacted())
	}
	return strings.TrimRight(u.String(), "/"), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// stayThere follows redirects only within the token's host.
func stayThere(next *http.Request, before []*http.Request) error {
	if first := before[0].URL; next.URL.Host != first.Host || next.URL.Scheme != first.Scheme {
		return errElsewhere
	}
	if len(before) > 3 {
		return errors.New("it redirects more than three times")
	}
	return nil
}

// bearer implements api.AuthSource with the token of one user.
type bearer struct{ token func() (string, error) }

// Init implements api.AuthSource.
func (bearer) Init(context.Context, *api.Client) error { return nil }

// Header implements api.AuthSource.
func (b bearer) Header(ctx context.Context) (key, value string, err error) {
	if b.token == nil {
		return api.Unauthenticated{}.Header(ctx)
	}
	token, err := b.token()
	if err != nil {
		return "", "", tokenError{err}
	}
	return "Authorization", "Bearer " + token, nil
}

// unlimited does not limit the rate of requests, since the GitLab enforces its own limits.
type unlimited struct{}

// Wait implements api.RateLimiter.
func (unlimited) Wait(context.Context) error { return nil }

// request is one call, with its deadline.
type request struct {
	op      string
	client  *api.Client
	project string
	context api.RequestOptionFunc
	ctx     context.Context
	cancel  context.CancelFunc
}

// do executes a request: it checks the common preconditions, sets the deadline, and converts errors.
func do[T any](ctx context.Context, s *Service, op, project string, ask func(*request) (*T, error)) (answer *T, err error) {
	q, err := s.begin(ctx, op, project)
	if err != nil {
		return nil, err
	}
	defer q.end(&err)
	return ask(q)
}

// begin checks the common preconditions of all calls. The caller must end the request.
func (s *Service) begin(ctx context.Context, op, project string) (*request, error) {
	if s.problem != nil {
		return nil, messages.Errorf(op, messages.WrongState, "%w", s.problem).
			WithHint("Start the daemon with BETCODE_GITLAB_TOKEN or BETCODE_GITLAB_TOKEN_FILE, and BETCODE_GITLAB_URL for a GitLab of your own.")
	}
	if err := checkProject(op, project); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	return &request{op: op, client: s.client, project: project, context: api.WithContext(ctx), ctx: ctx, cancel: cancel}, nil
}

// end ends a request. It recovers panics of the library, which panics on some unexpected JSON, such
// as an issue without an id.
func (q *request) end(err *error) {
	q.cancel()
	if p := recover(); p != nil {
		*err = messages.Errorf(q.op, messages.Unavailable, "the GitLab's answer cannot be read")
	}
}

func checkProject(op, project string) error {
	_, number := strconv.ParseUint(project, 10, 63)
	switch {
	case project == "":
		return invalid(op, "no project is named")
	case len(project) > 512 || strings.ContainsFunc(project, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '?' || r == '#' }):
		return invalid(op, "the project is no path")
	case number != nil && (!strings.Contains(project, "/") || strings.HasPrefix(project, "/") || strings.Contains("/"+project+"/", "/../")):
		return invalid(op, "the project %q is neither a path nor a number", project)
	}
	return nil
}

func invalid(op, format string, args ...any) error {
	return messages.Errorf(op, messages.Invalid, format, args...).
		WithHint(`A project is a path like "group/name" or a number; ids are numbers, as the lists show them.`)
}

// number checks an id.
func number(op, name string, n uint64) (int64, error) {
	if n == 0 || n > 1<<62 {
		return 0, invalid(op, "%s is missing or out of range", name)
	}
	return int64(n), nil
}
