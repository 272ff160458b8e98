package tokens

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"betcode/messages"
)

// The formats of the file. A daemon that does not know limits must not read tokens that have one.
const (
	format       = 1
	formatShared = 2 // with members, or tokens that are limited to shared sessions
	maxFileBytes = 1 << 20
)

// tokenFile is the format of the file.
type tokenFile struct {
	Format int           `json:"format"`
	Tokens []storedToken `json:"tokens"`

	Members []storedMember `json:"members,omitempty"`
}

type storedToken struct {
	Name      string    `json:"name"`
	Hash      string    `json:"sha256"`
	Scopes    []string  `json:"scopes"`
	CreatedAt time.Time `json:"created_at"`
	LastUsed  time.Time `json:"last_used_at,omitzero"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Person    string    `json:"person,omitempty"`
	ID        string    `json:"jti,omitempty"`
	Title     string    `json:"title,omitempty"`
	Shared    bool      `json:"shared,omitempty"`
}

// refresh reads the file again if another process has changed it.
func (s *Store) refresh() error {
	info, err := os.Lstat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.seen == nil && s.broken == nil:
		return nil
	case err == nil && s.seen != nil && s.broken == nil && os.SameFile(info, s.seen) &&
		info.ModTime().Equal(s.seen.ModTime()) && info.Size() == s.seen.Size() && info.Mode() == s.seen.Mode():
		return nil
	}
	return s.load()
}

// load reads the file. Tokens that it no longer has are revoked.
func (s *Store) load() error {
	found, members, info, err := read(s.path)
	if s.broken = err; err != nil {
		found, members, info = nil, nil, nil
	}
	for _, old := range s.members {
		kept := false
		for _, m := range members {
			if m.Member == old.Member {
				m.ended, kept = old.ended, true
			}
		}
		if !kept {
			close(old.ended)
		}
	}
	for _, old := range s.tokens {
		kept := false
		for _, t := range found {
			if t.Name == old.Name && t.hash == old.hash {
				t.revoked, kept = old.revoked, true
			}
		}
		if !kept {
			close(old.revoked)
		}
	}
	s.tokens, s.members, s.seen = found, members, info
	return err
}

func read(path string) ([]*token, []*member, os.FileInfo, error) {
	const op = "read tokens"
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", op, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", op, err)
	}
	if mode := info.Mode(); !mode.IsRegular() || runtime.GOOS != "windows" && mode.Perm()&0o077 != 0 {
		return nil, nil, nil, messages.Errorf(op, messages.WrongState, "%s is open to others (%v)", path, mode).
			WithHint("chmod 600 it, and revoke the tokens in it if somebody may have changed them")
	}
	content, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", op, err)
	}
	var stored tokenFile
	if err := json.Unmarshal(content, &stored); err != nil || stored.Format != format && stored.Format != formatShared || len(content) > maxFileBytes {
		return nil, nil, nil, messages.Errorf(op, messages.DataLoss, "%s is not understood (format %d): %v", path, stored.Format, err).
			WithHint("move it away; tokens have to be made anew then")
	}
	var found []*token
	for _, t := range stored.Tokens {
		rights, err := messages.ParseRights(t.Scopes)
		hash, errHash := hex.DecodeString(t.Hash)
		if err != nil || errHash != nil || len(hash) != sha256.Size {
			return nil, nil, nil, messages.Errorf(op, messages.DataLoss, "the token %q in %s is not understood", t.Name, path).
				WithHint("remove it from the file, and have it made anew")
		}
		found = append(found, &token{
			Token: messages.Token{
				Name: t.Name, Rights: rights, CreatedAt: t.CreatedAt, LastUsed: t.LastUsed, ExpiresAt: t.ExpiresAt,
				Person: t.Person, ID: t.ID, Title: t.Title, Shared: t.Shared,
			},
			hash: [sha256.Size]byte(hash), revoked: make(chan struct{}),
		})
	}
	var members []*member
	for _, m := range stored.Members {
		role := messages.Role(m.Role)
		if role.Rights() == 0 {
			return nil, nil, nil, messages.Errorf(op, messages.DataLoss, "a member in %s has the role %q", path, m.Role).
				WithHint("remove it from the file")
		}
		members = append(members, &member{messages.Member{Session: messages.SessionID(m.Session), Person: m.Person, Role: role, Since: m.CreatedAt}, make(chan struct{})})
	}
	return found, members, info, nil
}

// save replaces the file as a whole. With durable it is synced before save
// returns.
func (s *Store) save(tokens []*token, members []*member, durable bool) error {
	stored := tokenFile{Format: format, Tokens: []storedToken{}}
	for _, m := range members {
		stored.Format = formatShared
		stored.Members = append(stored.Members, storedMember{string(m.Session), m.Person, string(m.Role), m.Since})
	}
	for _, t := range tokens {
		stored.Tokens = append(stored.Tokens, storedToken{
			Name: t.Name, Hash: hex.EncodeToString(t.hash[:]), Scopes: t.Rights.Names(),
			CreatedAt: t.CreatedAt, LastUsed: t.LastUsed, ExpiresAt: t.ExpiresAt,
			Person: t.Person, ID: t.ID, Title: t.Title, Shared: t.Shared,
		})
		if t.Shared {
			stored.Format = formatShared
		}
	}
	content, err := json.MarshalIndent(stored, "", "  ")
	if err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	if err := replace(s.path, append(content, '\n'), durable); err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	info, err := os.Lstat(s.path)
	if err != nil {
		return fmt.Errorf("write tokens: %w", err)
	}
	s.tokens, s.members, s.seen = tokens, members, info
	return nil
}

func replace(path string, content []byte, durable bool) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // after success the file has been renamed
	_, err = file.Write(content)
	if durable && err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), path); err != nil || !durable || runtime.GOOS == "windows" {
		return err
	}
	directory, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
