package tokens

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"betcode/messages"
)

// Prefix begins every secret, so that people and scanners recognise it.
const Prefix = "betcode_"

const (
	maxTokens = 1000
	useEvery  = time.Minute // accuracy of the time of a token's last use
)

// Store has the tokens of a daemon. It is safe for concurrent use.
type Store struct {
	path   string
	now    func() time.Time
	signer *signer

	mu      sync.Mutex
	tokens  []*token
	members []*member
	seen    os.FileInfo // of the file when it was read or written; nil = there was none
	broken  error       // why the file could not be read
	used    time.Time   // when the last uses of tokens were written
}

type token struct {
	messages.Token
	hash    [sha256.Size]byte
	revoked chan struct{}
}

// Open reads the tokens in a file, and the key beside it; none if the file does not exist. now may be nil.
func Open(path string, now func() time.Time) (*Store, error) {
	if now == nil {
		now = time.Now
	}
	s := &Store{path: path, now: now, signer: newSigner(filepath.Join(filepath.Dir(path), keyFile))}
	return s, errors.Join(s.load(), s.signer.load())
}

// nameForm is compiled on first use, because most commands do not need it.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`) })

// Create makes a token and returns its secret, which is not stored. It uses the name, the rights,
// the person, the limit and the expiry of want.
func (s *Store) Create(want messages.Token) (string, messages.Token, error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	want.ID, want.Title = "", ""
	return s.add(want, func(messages.Token) (string, error) {
		return Prefix + base64.RawURLEncoding.EncodeToString(random), nil
	})
}

// add makes a token whose secret make returns.
func (s *Store) add(want messages.Token, secretOf func(messages.Token) (string, error)) (string, messages.Token, error) {
	const op = "create token"
	now := s.now().UTC().Truncate(time.Second)
	want.CreatedAt, want.LastUsed, want.ExpiresAt = now, time.Time{}, want.ExpiresAt.UTC().Truncate(time.Second)
	if err := check(op, want, now); err != nil {
		return "", messages.Token{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return "", messages.Token{}, err
	}
	if s.find(want.Name) >= 0 {
		return "", messages.Token{}, messages.Errorf(op, messages.AlreadyExists, "there is a token %s", want.Name).
			WithHint("choose another name, or revoke it first: betcode token revoke " + want.Name)
	}
	if len(s.tokens) >= maxTokens {
		return "", messages.Token{}, messages.Errorf(op, messages.Exhausted, "there are %d tokens", maxTokens).WithHint("revoke those that are not needed")
	}
	secret, err := secretOf(want)
	if err != nil {
		return "", messages.Token{}, err
	}
	next := append(slices.Clone(s.tokens), &token{Token: want, hash: sha256.Sum256([]byte(secret)), revoked: make(chan struct{})})
	slices.SortFunc(next, func(a, b *token) int { return strings.Compare(a.Name, b.Name) })
	if err := s.save(next, s.members, true); err != nil {
		return "", messages.Token{}, err
	}
	return secret, want, nil
}

// check refuses a token that cannot be made.
func check(op string, want messages.Token, now time.Time) error {
	switch {
	case !nameForm().MatchString(want.Name):
		return messages.Errorf(op, messages.Invalid, "%q is no name", want.Name).
			WithHint("use letters, digits, dots, dashes and underscores, at most 64")
	case want.Person != "" && !nameForm().MatchString(want.Person):
		return messages.Errorf(op, messages.Invalid, "%q is no name of a person", want.Person).
			WithHint("use letters, digits, dots, dashes and underscores, at most 64")
	case want.Rights&^(messages.MayEverything|messages.MayProxy) != 0 || want.Rights != messages.MayProxy && !want.Rights.Has(messages.MayView):
		return messages.Errorf(op, messages.Invalid, "these are no rights")
	case want.Shared && want.Rights&^messages.RoleEditor.Rights() != 0:
		return messages.Errorf(op, messages.Invalid, "a token that is limited to shared sessions has no scope admin or proxy")
	case !want.ExpiresAt.IsZero() && !want.ExpiresAt.After(now):
		return messages.Errorf(op, messages.Invalid, "it would have expired already").WithHint("give a time to come")
	}
	return nil
}

// List returns the tokens by name, those that have expired as well.
func (s *Store) List() ([]messages.Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return nil, err
	}
	var all []messages.Token
	for _, t := range s.tokens {
		all = append(all, t.Token)
	}
	return all, nil
}

// Revoke ends a token.
func (s *Store) Revoke(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return err
	}
	i := s.find(name)
	if i < 0 {
		return messages.Errorf("revoke token", messages.NotFound, "there is no token %q", name).WithHint("'betcode token list' shows them")
	}
	gone := s.tokens[i]
	if err := s.save(slices.Delete(slices.Clone(s.tokens), i, i+1), s.members, true); err != nil {
		return err
	}
	close(gone.revoked)
	return nil
}

// Check returns the token of a secret, and a channel that is closed when
// the token is revoked. An [messages.Unauthenticated] error means that there is none, or that
// it has expired.
func (s *Store) Check(secret string) (messages.Token, <-chan struct{}, error) {
	const op = "check token"
	id, err := s.signer.idOf(secret, s.now())
	if err != nil {
		return messages.Token{}, nil, err
	}
	hash := sha256.Sum256([]byte(secret))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return messages.Token{}, nil, messages.Errorf(op, messages.Unauthenticated, "the tokens cannot be read").
			WithHint("the daemon's log says why")
	}
	var found *token
	for _, t := range s.tokens {
		if subtle.ConstantTimeCompare(hash[:], t.hash[:]) == 1 && t.ID == id {
			found = t
		}
	}
	now := s.now()
	switch {
	case found == nil:
		return messages.Token{}, nil, unknown(op)
	case !found.ExpiresAt.IsZero() && !now.Before(found.ExpiresAt):
		return messages.Token{}, nil, expired(op)
	}
	if now.Sub(found.LastUsed) >= useEvery {
		found.LastUsed = now.UTC().Truncate(time.Second)
		if now.Sub(s.used) >= useEvery {
			s.used = now
			_ = s.save(s.tokens, s.members, false) // the next use retries; callers are not refused for it
		}
	}
	return found.Token, found.revoked, nil
}

// unknown returns the same error for every secret without a token, whatever is wrong with it.
func unknown(op string) error {
	return messages.Errorf(op, messages.Unauthenticated, "this token is not known").
		WithHint("it may have been revoked; 'betcode token list' on the daemon's machine shows those that are left")
}

// Close writes the times of the tokens' last uses.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used.IsZero() || s.refresh() != nil {
		return nil
	}
	return s.save(s.tokens, s.members, false)
}

func (s *Store) find(name string) int {
	return slices.IndexFunc(s.tokens, func(t *token) bool { return t.Name == name })
}

func expired(op string) error {
	return messages.Errorf(op, messages.Unauthenticated, "this token has expired").WithHint("have another one made: betcode token create")
}
