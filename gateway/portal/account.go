package portal

import (
	"context"
	"slices"
	"sync"
	"time"

	"betcode/gateway/portal/wire"
	pb "betcode/proto/betcode/v1"
)

// account is the connection to the daemon that all pages with one secret share. The daemon knows
// whose it is, so the pages of an account have the same rights, and lose them together.
type account struct {
	Daemon
	secret string
	pages  int // guarded by accounts.mu

	mu    sync.Mutex                    // of the following
	all   map[string]*pb.SessionSummary // by id, as the daemon listed them last
	spent *wire.UserSpendUpdate
	asked time.Time // when the daemon was asked what sessions have cost
	err   error     // what it answered
}

// accounts are those of the pages that are connected.
type accounts struct {
	connect func(secret string) (Daemon, error)

	mu  sync.Mutex
	all map[string]*account // by secret
}

// enter returns the account of a secret and what its caller may do. Each page asks anew: a token may
// have ended since the page before. The page leaves the account at its end.
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

// leave ends the connection with the last page.
func (a *accounts) leave(acc *account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if acc.pages--; acc.pages == 0 {
		delete(a.all, acc.secret)
		_ = acc.Close() // nothing is asked any more
	}
}

// costs returns what sessions have cost; nil if nothing ever has. The daemon is asked at most once every
// spendEvery, however many pages there are. The same value means that nothing has changed.
func (acc *account) costs(ctx context.Context) (*wire.UserSpendUpdate, error) {
	acc.mu.Lock()
	defer acc.mu.Unlock()
	if time.Since(acc.asked) < spendEvery*9/10 { // pages ask a little earlier or later
		return acc.spent, acc.err
	}
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	all, err := acc.Sessions(ctx)
	if ctx.Err() != nil {
		return acc.spent, err // the page has left, or the daemon does not answer
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
	if told := acc.spent; told == nil && len(m.Sessions) > 0 || told != nil && !slices.Equal(told.Sessions, m.Sessions) {
		acc.spent = &m
	}
	return acc.spent, nil
}

// summary returns a session as the daemon listed it last; nil if it did not.
func (acc *account) summary(session string) *pb.SessionSummary {
	acc.mu.Lock()
	defer acc.mu.Unlock()
	return acc.all[session]
}
