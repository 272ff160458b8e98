package auth

import (
	"context"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/metadata"

	"betcode/messages"
)

// Tokens is the store of access tokens. It is safe for concurrent use.
type Tokens interface {
	// Create creates a token with a random secret and returns the secret, which is not stored.
	Create(messages.Token) (secret string, t messages.Token, err error)
	// Sign creates a token whose secret is a JWT, and generates its id and name.
	Sign(messages.Token) (secret string, t messages.Token, err error)
	// Renew gives a signed token a new secret and expiry; the old secret becomes invalid.
	Renew(name string, expires time.Time) (secret string, t messages.Token, err error)
	// List returns the tokens by name.
	List() ([]messages.Token, error)
	// Revoke makes a token invalid.
	Revoke(name string) error
	// Share makes a person a member of a session, or gives a member another role.
	Share(messages.Member) error
	// Unshare ends the membership of a person; of everybody if the person is empty.
	Unshare(session messages.SessionID, person string) error
	// Members returns members, filtered by session and by person; empty = any.
	Members(session messages.SessionID, person string) ([]messages.Member, error)
	// Membership returns the membership of a person in a session, and a channel that is closed when it ends
	// or changes; false if there is none.
	Membership(session messages.SessionID, person string) (messages.Member, <-chan struct{}, bool)
	// Check returns the token of a secret, and a channel that is closed when it is revoked. The
	// error for an unknown secret is [messages.Unauthenticated].
	Check(secret string) (messages.Token, <-chan struct{}, error)
}

// CallerToken is the metadata key of an access token over the socket; its value is the secret. A
// gateway sends the token of its client, so that the call has the rights of the client and not
// those of the user.
const CallerToken = "x-caller-token"

// authenticate sets the rights of the caller: over the socket those of its process, over TCP those
// of its token, restricted to those of its process if that runs on this machine. A token that is
// sent over the socket has the same effect as over TCP. On an error it also returns the type of the
// audit entry.
func (d *Interceptor) authenticate(ctx context.Context, c *Call) (messages.AuditType, error) {
	p, known := PeerOf(ctx)
	if !known {
		c.Rights = messages.MayEverything // other credentials have authenticated it, see grpcapi.Options
		return "", nil
	}
	need, _ := Needs(c.method)
	if !p.Address.IsValid() {
		if need == Anyone {
			return "", nil
		}
		if ticket := metadata.ValueFromIncomingContext(ctx, FleetTicket); len(ticket) > 0 {
			return messages.AuditRefused, d.admitFleet(c, p, ticket[0])
		}
		if secret := metadata.ValueFromIncomingContext(ctx, CallerToken); len(secret) > 0 {
			token, revoked, err := d.checkSecret(secret)
			return d.identify(c, p, token, revoked, err)
		}
		c.Rights = p.ancestry.get().rights()
		return "", nil
	}
	if err := d.checkHost(ctx); err != nil {
		return messages.AuditRefused, err
	}
	if need == Anyone {
		return "", nil
	}
	token, revoked, err := d.checkToken(ctx)
	if err != nil {
		return d.identify(c, p, token, revoked, err)
	}
	if p.place != nil && !p.place.Introduce() {
		return messages.AuditRateLimited, messages.Errorf(opAdmit, messages.Exhausted, "too many connections are open to this daemon").
			With(messages.RetryAfter, "1000").WithHint("Close some of them, or try again later.")
	}
	p.newcomer.introduce()
	return d.identify(c, p, token, revoked, nil)
}

// identify sets the token of a call and intersects its rights with those of the process. err is the
// error of the token's check.
func (d *Interceptor) identify(c *Call, p Peer, token messages.Token, revoked <-chan struct{}, err error) (messages.AuditType, error) {
	if err != nil {
		if wait := d.limits.failures.take(network(p.Address.Addr())); wait > 0 {
			return messages.AuditRateLimited, tooMuch(wait)
		}
		return messages.AuditAuthFailure, err
	}
	c.token, c.Person, c.Rights, c.revoked, c.expires = token.Name, token.Person, token.Rights, revoked, token.ExpiresAt
	if c.Person == "" && token.ID == "" {
		c.Person = token.Name
	}
	if c.Limited = token.Shared; c.Limited {
		c.Rights &= messages.RoleEditor.Rights()
	}
	if r := p.ancestry.get(); r != Unrestricted {
		c.Rights &= r.rights()
	}
	return "", nil
}

// auditArrival records the first call of a client with a token on a connection.
func (d *Interceptor) auditArrival(ctx context.Context, c *Call) {
	p, known := PeerOf(ctx)
	if !known || c.token == "" || !p.Address.IsValid() || !p.arrivals.first(c.token, c.Client) {
		return
	}
	d.audit(ctx, messages.AuditEntry{
		Type: messages.AuditAuthSuccess, Outcome: messages.OutcomeSuccess, ClientIP: p.Address.Addr().String(),
		Context: map[string]string{"token": c.token, "scopes": c.Rights.String()},
	})
}

// checkToken returns the valid token of a call.
func (d *Interceptor) checkToken(ctx context.Context) (messages.Token, <-chan struct{}, error) {
	const hint = `Send a token as the metadata "authorization: Bearer <secret>"; 'betcode token create' makes one.`
	values := metadata.ValueFromIncomingContext(ctx, "authorization")
	if d.options.Tokens == nil || len(values) != 1 {
		return messages.Token{}, nil, messages.Errorf(opAdmit, messages.Unauthenticated, "no token in the metadata").WithHint(hint)
	}
	scheme, secret, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "bearer") {
		return messages.Token{}, nil, messages.Errorf(opAdmit, messages.Unauthenticated, "the metadata authorization has no bearer token").WithHint(hint)
	}
	return d.options.Tokens.Check(strings.TrimSpace(secret))
}

// checkSecret returns the valid token of a secret that was presented over the socket.
func (d *Interceptor) checkSecret(values []string) (messages.Token, <-chan struct{}, error) {
	if d.options.Tokens == nil || len(values) != 1 {
		return messages.Token{}, nil, messages.Errorf(opAdmit, messages.Unauthenticated, "the metadata %s has no valid token", CallerToken).
			WithHint("Send one secret, or none.")
	}
	return d.options.Tokens.Check(values[0])
}

// arrivals stores which clients have used which tokens on a connection, so that each pair is recorded once.
type arrivals struct {
	mu   sync.Mutex
	seen map[string]bool
}

// maxArrivals bounds the pairs of a connection; further pairs may be recorded more than once.
const maxArrivals = 64

func (i *arrivals) first(token string, client messages.ClientID) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	key := token + " " + string(client)
	if i.seen[key] {
		return false
	}
	if i.seen == nil || len(i.seen) >= maxArrivals {
		i.seen = map[string]bool{}
	}
	i.seen[key] = true
	return true
}

// whileValid returns a context that ends when the token of a call is revoked or expires; its cause is then
// the error for the client. end cancels it for another reason, and is nil for a caller without a token.
func whileValid(ctx context.Context, c *Call) (valid context.Context, end context.CancelCauseFunc, done context.CancelFunc) {
	if c.revoked == nil {
		return ctx, nil, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	over := messages.Errorf(opAdmit, messages.Unauthenticated, "the token %s was revoked or has expired", c.token).WithHint("Create another one: betcode token create NAME --scope ...")
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
	return ctx, cancel, func() {
		close(stop)
		if expiry != nil {
			expiry.Stop()
		}
		cancel(nil)
	}
}
