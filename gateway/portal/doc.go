// Package portal is the gateway for pages of the portal: WebSockets with JSON frames, as the
// published document of the portal describes them, and the HTTP API that its pages call. Pages of
// all three generations ([wire.Dialect]) see and steer the sessions of the daemon.
//
// # Rooms
//
// Package wire below it has the frames, package lines makes lines of the agent from events, and package
// requests keeps what waits for an answer, package upload puts files together; they are pure. Package voice turns speech into text. A
// [Server] has the routes and admits requests; a page is one WebSocket; a view is the session that a
// page has registered for, with what waits for an answer. Pages with one secret share an account, which
// is a connection to the daemon, and the feed of each session that they show: one stream, translated
// once, each line encoded once for each generation. A reader takes a page from the history to the feed,
// and back if the page is slow. A hand has what the page sends.
//
// # Who owns what
//
// The daemon owns sessions, history and tokens, and decides what a caller may do: each request and
// each account has a connection to it that presents the token of its cookie. Pages with different
// cookies share nothing, so the daemon ends the feeds of a token that is revoked, and no others. A login exchanges a code,
// which is a short-lived token, for a token with the same rights, whose secret is the cookie. So a
// cookie is in the list of the daemon's tokens, expires there, and ends there at once when it is
// revoked. Nothing is stored here.
//
// # What is promised, in what order
//
//   - Host and Origin are checked before everything else.
//   - A page gets the history after the time that it names, then a request that waits, then what
//     happens; each line once.
//   - Requests are shown one at a time, the oldest first: pages keep one.
//   - An input is sent to the daemon under an idempotency key, until it is confirmed.
//   - Only types of the page's generation are sent to it.
//   - Unknown sessions and those that a caller may not see have one answer.
//
// # Bounds
//
// A file of a page has at most 10 MiB, and all that arrive 64 MiB. A frame of a page has at most 4 MiB, a page sends at most 200 frames a second for long, and there
// are at most 1 024 pages. An outbox has 1 024 items or 4 MiB. A page whose outbox is full leaves its
// feed and reads on from the journal at its own pace; one that takes nothing for 30 seconds is closed.
//
// # On a crash
//
// When the daemon ends, pages stay connected, and go on with the next daemon from the last event.
// When this process ends, pages connect again; their cookies still count.
package portal
