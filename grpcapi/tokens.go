package grpcapi

import (
	"context"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/metadata"

	"betcode/messages"
)

// Tokens are what lets callers in over TCP. It may be used by many goroutines.
type Tokens interface {
	// Create makes a token and returns its secret, which nobody can ask for again.
	Create(name string, rights messages.Rights, expires time.Time) (secret string, t messages.Token, err error)
	// List returns the tokens by name.
	List() ([]messages.Token, error)
	// Revoke ends a token.
	Revoke(name string) error
	// Check returns the token that a secret belongs to, and a channel that is closed when
	// it is revoked; [messages.Unauthenticated] if there is none.
	Check(secret string) (messages.Token, <-chan struct{}, error)
}

// authenticate finds out what the caller of c may do: over the socket what its process
// may, over TCP what its token lets it, and no more than its process may where that is
// on this machine. With an error it says as what that is recorded.
func (s *Server) authenticate(ctx context.Context, c *call) (messages.AuditType, error) {
	p, known := PeerOf(ctx)
	if !known {
		c.rights = messages.MayEverything // credentials other than ours have decided (Options)
		return "", nil
	}
	need, _ := needOf(c.method)
	if !p.Address.IsValid() {
		if need != anyone {
			c.rights = p.judged.get().rights()
		}
		return "", nil
	}
	if err := s.checkHost(ctx); err != nil {
		return messages.AuditRefused, err
	}
	if need == anyone {
		return "", nil
	}
	token, revoked, err := s.checkToken(ctx)
	if err != nil {
		if wait := s.limits.failures.take(network(p.Address.Addr())); wait > 0 {
			return messages.AuditRateLimited, tooMuch(wait)
		}
		return messages.AuditAuthFailure, err
	}
	if p.place != nil && !p.place.Introduce() {
		return messages.AuditRateLimited, messages.Errorf(opAdmit, messages.Exhausted, "too many connections are open to this daemon").
			With(messages.RetryAfter, "1000").WithHint("Close some, or come again.")
	}
	p.newcomer.introduce()
	c.token, c.rights, c.revoked, c.expires = token.Name, token.Rights&p.judged.get().rights(), revoked, token.ExpiresAt
	return "", nil
}

// auditArrival writes down that a client has come with a token, once per connection.
func (s *Server) auditArrival(ctx context.Context, c *call) {
	p, known := PeerOf(ctx)
	if !known || c.token == "" || !p.introduced.first(c.token, c.client) {
		return
	}
	s.audit(ctx, messages.AuditEntry{
		Type: messages.AuditAuthSuccess, Outcome: messages.OutcomeSuccess, ClientIP: p.Address.Addr().String(),
		Context: map[string]string{"token": c.token, "scopes": c.rights.String()},
	})
}

// checkToken finds the token that a call was made with.
func (s *Server) checkToken(ctx context.Context) (messages.Token, <-chan struct{}, error) {
	const hint = `Send a token as the metadata "authorization: Bearer <secret>"; 'betcode token create' makes one.`
	values := metadata.ValueFromIncomingContext(ctx, "authorization")
	if s.options.Tokens == nil || len(values) != 1 {
		return messages.Token{}, nil, messages.Errorf(opAdmit, messages.Unauthenticated, "a token is needed here").WithHint(hint)
	}
	scheme, secret, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "bearer") {
		return messages.Token{}, nil, messages.Errorf(opAdmit, messages.Unauthenticated, "this is no token").WithHint(hint)
	}
	return s.options.Tokens.Check(strings.TrimSpace(secret))
}

// introductions remembers which clients have come with which tokens over one
// connection, so that each is written down once.
type introductions struct {
	mu   sync.Mutex
	seen map[string]bool
}

// maxIntroductions bounds them: a connection with more is written down again and again.
const maxIntroductions = 64

func (i *introductions) first(token string, client messages.ClientID) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	key := token + " " + string(client)
	if i.seen[key] {
		return false
	}
	if i.seen == nil || len(i.seen) >= maxIntroductions {
		i.seen = map[string]bool{}
	}
	i.seen[key] = true
	return true
}

// whileItCounts is ctx until the token of a call is revoked or expires; then its cause
// is an error for the client.
func whileItCounts(ctx context.Context, c *call) (context.Context, context.CancelFunc) {
	if c.revoked == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	over := messages.Errorf(opAdmit, messages.Unauthenticated, "the token %s counts no longer", c.token).WithHint("Have another one made.")
	var expiry *time.Timer
	if !c.expires.IsZero() {
		expiry = time.AfterFunc(time.Until(c.expires), func() { cancel(over) })
	}
	stop := make(chan struct{})
	go func() {
		select {
		case <-c.revoked:
			cancel(over)
		case <-ctx.Done():
		case <-stop:
		}
	}()
	return ctx, func() {
		close(stop)
		if expiry != nil {
			expiry.Stop()
		}
		cancel(nil)
	}
}
