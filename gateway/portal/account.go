package portal

import (
	"context"
	"slices"
	"sync"
	"time"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// account is the connection to the daemon that all pages with one secret share. So the pages of an
// account have the same rights, and lose them together.
type account struct {
	Daemon
	secret string
	pages  int // guarded by accounts.mu

	mu    sync.Mutex                    // of the following
	all   map[string]*pb.SessionSummary // by id, as last listed by the daemon
	spent *wire.UserSpendUpdate
	asked time.Time // when the costs of sessions were last requested
	err   error     // error of that request
}

// accounts has the accounts of the connected pages.
type accounts struct {
	connect func(secret string) (Daemon, error)

	mu  sync.Mutex
	all map[string]*account // by secret
}

// enter returns the account of a secret and the rights of its caller. It checks the token for each
// page, since the token may have ended meanwhile. The page must leave the account at its end.
func (a *accounts) enter(ctx context.Context, secret string) (*account, Caller, error) {
	acc, err := a.take(secret)
	if err != nil {
		return nil, Caller{}, err
	}
	caller, err := acc.Caller(ctx)
	if err != nil {
		a.leave(acc)
		return nil, Caller{}, err
	}
	return acc, caller, nil
}

func (a *accounts) take(secret string) (*account, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	acc := a.all[secret]
	if acc == nil {
		d, err := a.connect(secret)
		if err != nil {
			return nil, err
		}
		acc = &account{Daemon: d, secret: secret}
		a.all[secret] = acc
	}
	acc.pages++
	return acc, nil
}

// leave removes a page, and ends the connection after the last one.
func (a *accounts) leave(acc *account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if acc.pages--; acc.pages == 0 {
		delete(a.all, acc.secret)
		_ = acc.Close() // no call is running
	}
}

// costs returns the costs of sessions; nil if no session has cost anything. It asks the daemon at most
// once every spendEvery for all pages. The same pointer means that nothing has changed.
func (acc *account) costs(ctx context.Context) (*wire.UserSpendUpdate, error) {
	acc.mu.Lock()
	defer acc.mu.Unlock()
	if time.Since(acc.asked) < spendEvery*9/10 { // the tickers of pages are not exact
		return acc.spent, acc.err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	all, err := acc.Sessions(ctx)
	if ctx.Err() != nil {
		return acc.spent, err // either the page has left, or the daemon does not answer
	}
	acc.asked, acc.err = time.Now(), err
	if err != nil {
		return acc.spent, err
	}
	m := wire.UserSpendUpdate{}
	acc.all = make(map[string]*pb.SessionSummary, len(all))
	for _, s := range all {
		acc.all[s.GetId()] = s
		if s.GetTotalCostUsd() > 0 {
			m.Total += s.GetTotalCostUsd()
			m.Sessions = append(m.Sessions, wire.SessionCost{
				SessionID: wire.UUID(s.GetId()), Total: s.GetTotalCostUsd(), InputTokens: int64(s.GetTotalInputTokens()), OutputTokens: int64(s.GetTotalOutputTokens()),
			})
		}
	}
	if last := acc.spent; last == nil && len(m.Sessions) > 0 || last != nil && !slices.Equal(last.Sessions, m.Sessions) {
		acc.spent = &m
	}
	return acc.spent, nil
}

// summary returns a session as last listed by the daemon; nil if it was not listed.
func (acc *account) summary(session string) *pb.SessionSummary {
	acc.mu.Lock()
	defer acc.mu.Unlock()
	return acc.all[session]
}
