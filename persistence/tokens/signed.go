package tokens

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"betcode/messages"
)

const (
	keyFile        = "token.key"
	keyBytes       = 32
	leeway         = time.Minute // of the signed times; the stored expiry has none
	maxSigned      = 4096        // bytes of a signed secret
	maxTitle       = 100         // characters
	signedAtOnce   = 50          // of one person
	proxyTokenType = "proxy"
)

// people is the namespace of ids of people.
var people = uuid.MustParse("5a1de0b2-3a0f-5c39-9f4e-bb0a2d1c7e55")

// PersonID returns the id of a person, a UUID that is derived from the name.
func PersonID(person string) string { return uuid.NewSHA1(people, []byte(person)).String() }

// Sign makes a token whose secret is a JWT, and returns the secret, which is not stored. It uses the
// title, the rights, the person and the expiry of want, which must expire.
func (s *Store) Sign(want messages.Token) (string, messages.Token, error) {
	const op = "create signed token"
	id := uuid.NewString()
	want.ID, want.Name, want.Shared = id, "proxy-"+id[:8], false
	switch {
	case want.ExpiresAt.IsZero():
		return "", messages.Token{}, messages.Errorf(op, messages.Invalid, "it would never expire").WithHint("say for how many days it is valid")
	case want.Title == "" || len([]rune(want.Title)) > maxTitle:
		return "", messages.Token{}, messages.Errorf(op, messages.Invalid, "its name is empty, or has more than %d characters", maxTitle)
	case s.signedBy(want.Person) >= signedAtOnce:
		return "", messages.Token{}, messages.Errorf(op, messages.Exhausted, "this person has %d of them", signedAtOnce).
			WithHint("revoke those that are not needed")
	}
	return s.add(want, s.signer.sign)
}

func (s *Store) signedBy(person string) (count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tokens {
		if t.ID != "" && t.Person == person {
			count++
		}
	}
	return count
}

// Renew gives a signed token another secret and another expiry. The former secret becomes invalid at once.
func (s *Store) Renew(name string, expires time.Time) (string, messages.Token, error) {
	const op = "renew token"
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return "", messages.Token{}, err
	}
	i := s.find(name)
	if i < 0 || s.tokens[i].ID == "" {
		return "", messages.Token{}, messages.Errorf(op, messages.NotFound, "there is no signed token %q", name)
	}
	now := s.now().UTC().Truncate(time.Second)
	old := s.tokens[i]
	renewed := &token{Token: old.Token, revoked: make(chan struct{})}
	renewed.ExpiresAt = expires.UTC().Truncate(time.Second)
	if err := check(op, renewed.Token, now); err != nil {
		return "", messages.Token{}, err
	}
	issued := renewed.Token
	issued.CreatedAt = now
	secret, err := s.signer.sign(issued)
	if err != nil {
		return "", messages.Token{}, err
	}
	renewed.hash = sha256.Sum256([]byte(secret))
	next := slices.Clone(s.tokens)
	next[i] = renewed
	if err := s.save(next, s.members, true); err != nil {
		return "", messages.Token{}, err
	}
	close(old.revoked)
	return secret, renewed.Token, nil
}

// claims are the claims of a signed token, as proxies of the portal expect them.
type claims struct {
	jwt.RegisteredClaims
	Email string `json:"email"`
	Type  string `json:"token_type"`
	Nonce string `json:"nonce"` // so that a token renewed within a second differs
}

// signer signs tokens, and checks their signatures. Its key is 32 random bytes in a file that other
// users cannot read. It is made for the first token, and no other key is derived from it.
type signer struct {
	path string

	mu  sync.Mutex
	key []byte // nil = there is none yet
}

func newSigner(path string) *signer { return &signer{path: path} }

// load reads the key, if there is one.
func (s *signer) load() error {
	const op = "read key of tokens"
	file, err := os.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	if mode := info.Mode(); !mode.IsRegular() || runtime.GOOS != "windows" && mode.Perm()&0o077 != 0 {
		return messages.Errorf(op, messages.WrongState, "%s is open to others (%v)", s.path, mode).
			WithHint("remove it if somebody may have read it: tokens of proxies end with it. Otherwise chmod 600 it")
	}
	key, err := io.ReadAll(io.LimitReader(file, keyBytes+1))
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	if len(key) != keyBytes {
		return messages.Errorf(op, messages.DataLoss, "%s has not %d bytes", s.path, keyBytes).
			WithHint("remove it: a new one is made, and tokens of proxies have to be made anew")
	}
	s.key = key
	return nil
}

// sign returns the JWT of a token.
func (s *signer) sign(t messages.Token) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key == nil {
		key := make([]byte, keyBytes)
		_, _ = rand.Read(key) // never fails
		if err := replace(s.path, key, true); err != nil {
			return "", fmt.Errorf("write key of tokens: %w", err)
		}
		s.key = key
	}
	host, _ := os.Hostname() // for people who read the token
	issued := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			ID: t.ID, Subject: PersonID(t.Person), IssuedAt: jwt.NewNumericDate(t.CreatedAt), ExpiresAt: jwt.NewNumericDate(t.ExpiresAt),
		},
		Email: cmp.Or(t.Person, "user") + "@" + cmp.Or(host, "localhost"), Type: proxyTokenType, Nonce: uuid.NewString(),
	})
	secret, err := issued.SignedString(s.key)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return secret, nil
}

// idOf returns the id in a signed secret with a valid signature and valid times; empty for a secret that does
// not have the form of a signed one. The other claims are not used, because the store has their values.
func (s *signer) idOf(secret string, now time.Time) (string, error) {
	const op = "check token"
	if strings.Count(secret, ".") != 2 {
		return "", nil
	}
	s.mu.Lock()
	key := s.key
	s.mu.Unlock()
	if key == nil || len(secret) > maxSigned {
		return "", unknown(op)
	}
	var c claims
	_, err := jwt.ParseWithClaims(secret, &c, func(*jwt.Token) (any, error) { return key, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithLeeway(leeway),
		jwt.WithIssuedAt(), jwt.WithTimeFunc(func() time.Time { return now }), jwt.WithStrictDecoding())
	switch {
	case errors.Is(err, jwt.ErrTokenExpired) && !errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return "", expired(op)
	case err != nil || uuid.Validate(c.ID) != nil:
		return "", unknown(op)
	}
	return c.ID, nil
}
