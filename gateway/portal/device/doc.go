// Package device has the codes with which a program without a browser requests a token from a person.
// The program shows a short user code, the person enters it in a logged-in browser, and the program
// polls with a device code that only it knows. The package is pure: callers pass times and random
// texts, and nothing waits.
//
//	        Begin            Find by a login         Approve                 Poll
//	(none) ──────► WAITING ──────────────────► BOUND ───────► APPROVED ────────────────► (none)
//	                  │                          │
//	                  │ Lifetime                 │ Deny
//	                  ▼                          ▼
//	               EXPIRED                     DENIED      Poll returns both until Kept has passed
//
// A code is bound to the login that finds it first; for other logins it is unknown from then on. The
// wrong codes of a login are limited. The number of codes is bounded: [Codes.Begin] refuses more than
// MaxCodes, and more than MaxOfAddress for one address.
//
// Codes are in memory only: after a crash a program requests another one.
package device
