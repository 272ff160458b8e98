package messages

import "time"

// Token describes a token that lets callers in over TCP. Only its owner knows the
// secret.
type Token struct {
	Name      string
	Rights    Rights
	CreatedAt time.Time
	LastUsed  time.Time // to about a minute; zero = never
	ExpiresAt time.Time // zero = until it is revoked
}
