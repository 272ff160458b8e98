// Package device has the codes with which a program without a browser asks a person for a token: it
// shows a short user code, the person enters it in a browser that has logged in, and the program polls
// with a device code that only it knows. The package is pure: times and random texts come from the
// caller, and nothing waits.
//
//	        Begin            Find by a login         Approve                 Poll
//	(none) ──────► WAITING ──────────────────► BOUND ───────► APPROVED ────────────────► (none)
//	                  │                          │
//	                  │ Lifetime                 │ Deny
//	                  ▼                          ▼
//	               EXPIRED                     DENIED      both are told until Kept has passed
//
// A code is bound to the login that finds it first; for other logins it is unknown from then on. A login
// that enters wrong codes may soon enter none. Codes are few: [Codes.Begin] refuses more than
// MaxCodes, and more than MaxOfAddress for one address.
//
// Codes live in memory: after a crash a program asks for another one.
package device
