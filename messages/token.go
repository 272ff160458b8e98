package messages

import "time"

// Token is what is known of a token that lets callers in over TCP. Nobody knows its
// secret but who has it.
type Token struct {
	Name      string
	Rights    Rights
	CreatedAt time.Time
	LastUsed  time.Time // to about a minute; zero = never
	ExpiresAt time.Time // zero = until it is revoked
}
