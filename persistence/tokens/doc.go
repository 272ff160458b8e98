// Package tokens stores the tokens of callers: over TCP, and through gateways.
//
// # Who owns what
//
// [Store] owns one file (0600) with a JSON object: of each token its name, its rights
// and the SHA-256 of its secret, never the secret. The secret is 256 random bits, so a
// plain hash is enough: it cannot be guessed from a dictionary. A file that other users
// may read or write is refused.
//
// Tokens of proxies are signed: their secret is a JWT with an id, for programs that expect one. The
// key is 32 random bytes in a file beside the tokens (0600), made for the first such token. A signed
// secret has to have a valid signature, and the id and the hash of a stored token.
//
// # What is promised
//
//   - Changes by [Store.Create] and [Store.Revoke] are durable when they return, and
//     effective from then on: the channel that [Store.Check] returns is closed when the
//     token is revoked.
//   - A file that another process has changed, or removed, is read again before the next
//     secret is checked. While it cannot be read every caller is refused.
//   - Secrets are compared in constant time, and with all tokens.
//   - The time of a token's last use is accurate to about a minute; a crash may lose it.
package tokens
