// Package portal is the gateway for pages of the portal: WebSockets with JSON frames, as the
// published document of the portal describes them, and the HTTP API that its pages call. Pages of
// all three generations ([wire.Dialect]) show and control the sessions of the daemon.
//
// # Parts
//
// The subpackages wire (frames), lines (lines of the agent from events), requests (requests that wait for an answer)
// and upload (files in pieces) are pure. Package voice converts speech to text. A [Server] has the routes and admits
// requests. A page is one WebSocket. A view is the session that a page has registered for, with its waiting requests.
// Pages with one secret share an account, which is a connection to the daemon, and a feed for each session that they
// show: one stream, translated once, with each line encoded once for each generation. A reader brings a page from the
// history to the feed, and back if the page is slow. A requester sends requests of the page to the daemon.
//
// # Who owns what
//
// The daemon owns sessions, history and tokens, and decides what a caller may do: each request and each account has a
// connection to it, with the token of its cookie. Pages with different cookies share nothing, so the daemon ends only
// the feeds of a revoked token. A login exchanges a code, which is a short-lived token, for a token with the same
// rights, whose secret is the cookie. So a cookie is one of the daemon's tokens: it expires there, and revoking it has
// effect at once. The package stores nothing.
//
// # Guarantees and their order
//
//   - The server checks Host and Origin before everything else.
//   - A page gets the history after the time that it names, then a waiting request, then new lines; each line once.
//   - Requests are shown one at a time, oldest first, since pages keep one.
//   - An input is sent to the daemon under an idempotency key, until it is confirmed.
//   - Only types of the page's generation are sent to it.
//   - The answer is the same for unknown sessions and for those that a caller may not see.
//
// # Bounds
//
// A file of a page has at most 10 MiB, and all files in progress together 64 MiB. A frame of a page has at most 4 MiB,
// a page sends at most 200 frames a second on average, and there are at most 1 024 pages. An outbox has 1 024 items or
// 4 MiB. A page whose outbox is full leaves its feed and reads from the journal at its own pace; one that reads nothing
// for 30 seconds is closed.
//
// # On a crash
//
// When the daemon ends, pages stay connected, and continue with the next daemon from the last
// event. When this process ends, pages connect again; their cookies stay valid.
package portal
