// Package proxy serves ProxyService: sessions whose agents run elsewhere, each under a proxy that holds one call.
//
//	receive ──► intake ──► take: one request to the session for what is there, one answer after its commit
//	                         │ lines that are durable
//	session ──► outbox ◄─────┘
//	              │
//	              └──► send, the only writer of the call
//
// # Who owns what
//
// A call owns its [connection], with an intake and an outbox that are bounded. The session owns everything else: when the call
// ends, inputs and decisions wait there for the next one.
//
// # What is promised in which order
//
// ProxyRegistered is first. Frames reach the session in the order in which the proxy sent them, one request at a time, so that at
// most one batch is not committed. A line is acknowledged after its commit. The proxy reads nothing that was sent after the end.
//
// # On a crash
//
// Nothing survives. The call ends with UNAVAILABLE, also when the session's actor is restarted; the proxy registers again and
// sends again what was not acknowledged.
package proxy
