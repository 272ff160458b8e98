// Package gitlab is GitLabService: what a GitLab says about a project, for clients
// that talk to the daemon only. It reads and never writes.
//
// It stands beside the gateway and not behind it: a GitLab has nothing to do with
// sessions, so no actor answers for it. A [Service] keeps nothing between calls but
// connections.
//
// # What is promised
//
//   - The token is asked for with each call, goes to the one host it is for, as a
//     header that no redirect carries elsewhere, and never into a log or an error.
//   - Every call ends within [Options.Timeout], which is below the 30 s of the
//     clients' unary calls. Nothing is tried again here: who asked knows better
//     whether it is still wanted. What the GitLab says about its limits is passed on
//     (RATE_LIMITED, retry_after_ms).
//   - Answers are bounded: a page, a description, a piece of a log.
//   - Every error is a [messages.Error]; one table says which status of the GitLab's
//     is which kind.
package gitlab
