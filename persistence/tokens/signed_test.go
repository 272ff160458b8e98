package tokens

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"betcode/messages"
)

func sign(t *testing.T, s *Store, title, person string, expires time.Time) (string, messages.Token) {
	t.Helper()
	secret, made, err := s.Sign(messages.Token{Title: title, Person: person, Rights: messages.MayProxy, ExpiresAt: expires})
	if err != nil {
		t.Fatal(err)
	}
	return secret, made
}

func TestSignedTokens(t *testing.T) {
	dir := t.TempDir()
	path, c := filepath.Join(dir, "tokens.json"), &clock{time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	s := open(t, path, c)
	secret, made := sign(t, s, "Device auth", "phone", c.at.Add(time.Hour))
	if info, err := os.Stat(filepath.Join(dir, keyFile)); err != nil || info.Mode().Perm() != 0o600 || info.Size() != keyBytes {
		t.Errorf("%v, %v", info, err)
	}
	parts := strings.Split(secret, ".")
	if header, _ := base64.RawURLEncoding.DecodeString(parts[0]); string(header) != `{"alg":"HS256","typ":"JWT"}` {
		t.Errorf("%s", header)
	}
	var claims map[string]any
	payload, _ := base64.RawURLEncoding.DecodeString(parts[1])
	if err := json.Unmarshal(payload, &claims); err != nil {
		t.Fatal(err)
	}
	if claims["jti"] != made.ID || claims["sub"] != PersonID("phone") || claims["token_type"] != "proxy" || claims["iat"] != float64(c.at.Unix()) ||
		claims["exp"] != float64(c.at.Add(time.Hour).Unix()) || !strings.HasPrefix(claims["email"].(string), "phone@") {
		t.Errorf("%s", payload)
	}
	content, _ := os.ReadFile(path)
	if strings.Contains(string(content), parts[1]) || strings.Contains(string(content), parts[2]) {
		t.Errorf("the file has the secret: %s", content)
	}

	s = open(t, path, c) // as after a restart
	got, done, err := s.Check(secret)
	if err != nil || got.Name != made.Name || got.Rights != messages.MayProxy || got.Person != "phone" || got.Title != "Device auth" {
		t.Fatalf("%+v, %v", got, err)
	}
	renewed, after, err := s.Renew(made.Name, c.at.Add(2*time.Hour))
	if err != nil || after.ID != made.ID || renewed == secret || !revoked(done) {
		t.Fatalf("%+v, %v", after, err)
	}
	refused(t, s, secret)
	if _, done, err = s.Check(renewed); err != nil {
		t.Error(err)
	}
	c.at = c.at.Add(2 * time.Hour)
	refused(t, s, renewed) // the stored expiry has no leeway
	c.at = c.at.Add(-time.Minute)
	if err := s.Revoke(made.Name); err != nil || !revoked(done) {
		t.Error(err)
	}
	refused(t, s, renewed)
	for range signedAtOnce {
		sign(t, s, "x", "desk", c.at.Add(time.Hour))
	}
	_, _, err = s.Sign(messages.Token{Title: "x", Person: "desk", Rights: messages.MayProxy, ExpiresAt: c.at.Add(time.Hour)})
	if messages.KindOf(err) != messages.Exhausted {
		t.Error(err)
	}
	sign(t, s, "x", "phone", c.at.Add(time.Hour))
	for _, wrong := range []messages.Token{
		{Title: "x", Rights: messages.MayProxy},
		{Rights: messages.MayProxy, ExpiresAt: c.at.Add(time.Hour)},
		{Title: strings.Repeat("x", 101), Rights: messages.MayProxy, ExpiresAt: c.at.Add(time.Hour)},
		{Title: "x", Rights: messages.MayProxy | messages.MayControl, ExpiresAt: c.at.Add(time.Hour)},
		{Title: "x", Rights: messages.MayProxy, ExpiresAt: c.at.Add(time.Hour), Person: "a b"},
	} {
		if _, _, err := s.Sign(wrong); messages.KindOf(err) != messages.Invalid {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	if _, _, err := s.Renew("desk", c.at.Add(time.Hour)); messages.KindOf(err) != messages.NotFound {
		t.Error(err)
	}
}

// A token that is not signed with the key by HMAC does not count, nor one whose id or whose bytes
// the store does not have.
func TestForgedTokens(t *testing.T) {
	dir, c := t.TempDir(), &clock{time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	s := open(t, filepath.Join(dir, "tokens.json"), c)
	secret, made := sign(t, s, "x", "phone", c.at.Add(time.Hour))
	other := open(t, filepath.Join(t.TempDir(), "tokens.json"), c)
	foreign, _ := sign(t, other, "x", "phone", c.at.Add(time.Hour))
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	claims := func(id string, expires time.Time) jwt.MapClaims {
		m := jwt.MapClaims{"jti": id, "sub": PersonID("phone"), "iat": c.at.Unix(), "email": "a@b", "token_type": "proxy"}
		if !expires.IsZero() {
			m["exp"] = expires.Unix()
		}
		return m
	}
	made1 := func(m jwt.SigningMethod, key any, c jwt.Claims) string {
		secret, err := jwt.NewWithClaims(m, c).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	key, later := s.signer.key, c.at.Add(time.Hour)
	parts := strings.Split(secret, ".")
	for name, forged := range map[string]string{
		"another key":            foreign,
		"no algorithm":           made1(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, claims(made.ID, later)),
		"no signature":           parts[0] + "." + parts[1] + ".",
		"another algorithm":      made1(jwt.SigningMethodHS512, key, claims(made.ID, later)),
		"RSA":                    made1(jwt.SigningMethodRS256, private, claims(made.ID, later)),
		"an empty key":           made1(jwt.SigningMethodHS256, []byte{}, claims(made.ID, later)),
		"a known secret":         made1(jwt.SigningMethodHS256, []byte("dev-mode-jwt-secret-not-for-production"), claims(made.ID, later)),
		"the key, another id":    made1(jwt.SigningMethodHS256, key, claims(uuid.NewString(), later)),
		"the key, other bytes":   made1(jwt.SigningMethodHS256, key, claims(made.ID, later)),
		"the key, no id":         made1(jwt.SigningMethodHS256, key, claims("", later)),
		"the key, no end":        made1(jwt.SigningMethodHS256, key, claims(made.ID, time.Time{})),
		"the key, expired":       made1(jwt.SigningMethodHS256, key, claims(made.ID, c.at.Add(-2*time.Minute))),
		"spaces":                 " " + secret,
		"padding":                parts[0] + "." + parts[1] + "=." + parts[2],
		"a long one":             secret + strings.Repeat("A", maxSigned),
		"two dots":               "..",
		"the hash":               parts[0] + "." + parts[1] + "." + made.ID,
		"its id":                 made.ID,
		"its name":               made.Name,
		"a random secret's form": Prefix + secret,
	} {
		if got, _, err := s.Check(forged); messages.KindOf(err) != messages.Unauthenticated || err == nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, _, err := s.Check(secret); err != nil {
		t.Error(err)
	}
}

// A key that others may read, or that is not whole, is not used; without it signed tokens do not
// count, and others do.
func TestKeyOfTokens(t *testing.T) {
	dir, c := t.TempDir(), &clock{time.Now()}
	path, key := filepath.Join(dir, "tokens.json"), filepath.Join(dir, keyFile)
	s := open(t, path, c)
	secret, _ := sign(t, s, "x", "", c.at.Add(time.Hour))
	phone := create(t, s, "phone", messages.MayView, time.Time{})
	os.Chmod(key, 0o640)
	if _, err := Open(path, c.now); messages.KindOf(err) != messages.WrongState {
		t.Error(err)
	}
	os.Chmod(key, 0o600)
	os.WriteFile(key, make([]byte, keyBytes-1), 0o600)
	if _, err := Open(path, c.now); messages.KindOf(err) != messages.DataLoss {
		t.Error(err)
	}
	os.Remove(key)
	s = open(t, path, c)
	refused(t, s, secret)
	if _, _, err := s.Check(phone); err != nil {
		t.Error(err)
	}
	sign(t, s, "y", "", c.at.Add(time.Hour))
	refused(t, s, secret)
}

// A text that was not signed is never taken for a token, and does not end the daemon.
func FuzzCheck(f *testing.F) {
	c := &clock{time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	s, err := Open(filepath.Join(f.TempDir(), "tokens.json"), c.now)
	if err != nil {
		f.Fatal(err)
	}
	secret, _, err := s.Sign(messages.Token{Title: "x", Rights: messages.MayProxy, ExpiresAt: c.at.Add(time.Hour)})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", "..", "a.b.c", "eyJhbGciOiJub25lIn0.eyJqdGkiOiJ4In0.", Prefix} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tried := range []string{text, secret + text, text + secret} {
			if _, _, err := s.Check(tried); tried != secret && messages.KindOf(err) != messages.Unauthenticated {
				t.Errorf("%q: %v", tried, err)
			}
		}
	})
}
