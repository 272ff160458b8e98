package grpcapi

import (
	"slices"
	"strings"
	"sync"
	"time"

	"betcode/messages"
)

// fakeTokens accepts the name of a token as its secret.
type fakeTokens struct {
	mu     sync.Mutex
	tokens map[string]messages.Token
	gone   map[string]chan struct{}

	members  []messages.Member
	unshared chan struct{} // closed by Unshare
}

func (f *fakeTokens) Create(t messages.Token) (string, messages.Token, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tokens == nil {
		f.tokens, f.gone = map[string]messages.Token{}, map[string]chan struct{}{}
	}
	t.CreatedAt = time.Unix(9, 0)
	f.tokens[t.Name], f.gone[t.Name] = t, make(chan struct{})
	return "secret-" + t.Name, t, nil
}

func (f *fakeTokens) Sign(t messages.Token) (string, messages.Token, error) {
	t.ID = "id-" + t.Title
	t.Name = t.Title
	return f.Create(t)
}

func (f *fakeTokens) Renew(name string, expires time.Time) (string, messages.Token, error) {
	f.mu.Lock()
	t := f.tokens[name]
	f.mu.Unlock()
	t.ExpiresAt = expires
	return f.Create(t)
}

func (f *fakeTokens) Share(m messages.Member) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members = append(f.members, m)
	return nil
}

func (f *fakeTokens) Unshare(session messages.SessionID, person string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members = slices.DeleteFunc(f.members, func(m messages.Member) bool { return m.Session == session && (person == "" || m.Person == person) })
	if f.unshared != nil {
		close(f.unshared)
		f.unshared = nil
	}
	return nil
}

func (f *fakeTokens) Members(session messages.SessionID, person string) (all []messages.Member, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.members {
		if (session == "" || m.Session == session) && (person == "" || m.Person == person) {
			all = append(all, m)
		}
	}
	return all, nil
}

func (f *fakeTokens) Membership(session messages.SessionID, person string) (messages.Member, <-chan struct{}, bool) {
	all, _ := f.Members(session, person)
	if len(all) == 0 {
		return messages.Member{}, nil, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.unshared == nil {
		f.unshared = make(chan struct{})
	}
	return all[0], f.unshared, true
}

func (f *fakeTokens) List() ([]messages.Token, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []messages.Token
	for _, t := range f.tokens {
		all = append(all, t)
	}
	return all, nil
}

func (f *fakeTokens) Revoke(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone[name] == nil {
		return messages.Errorf("revoke", messages.NotFound, "no %s", name)
	}
	close(f.gone[name])
	delete(f.tokens, name)
	return nil
}

func (f *fakeTokens) Check(secret string) (messages.Token, <-chan struct{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name, _ := strings.CutPrefix(secret, "secret-")
	t, ok := f.tokens[name]
	if !ok {
		return t, nil, messages.Errorf("check token", messages.Unauthenticated, "not known")
	}
	return t, f.gone[name], nil
}
