// Package gitlab serves GitLabService: read-only data about a project on a GitLab server, for
// clients that are connected to the daemon only.
//
// GitLab has nothing to do with sessions, so the service itself answers, and no actor. A [Service]
// keeps only connections between calls.
//
// # Guarantees
//
//   - The token is read for each call. It is sent only to its own host, as a header that no
//     redirect carries elsewhere, and never appears in a log or an error.
//   - Every call ends within [Options.Timeout], which is below the 30 s of the clients' unary
//     calls. The service does not retry: the client decides whether it still needs the answer. Rate
//     limits of the GitLab are passed on (RATE_LIMITED, retry_after_ms).
//   - Answers are bounded: a page, a description, a part of a log.
//   - Every error is a [messages.Error]; one table maps the GitLab's statuses to kinds.
package gitlab
