// Package proxy serves ProxyService, for sessions whose agents run elsewhere. Each runs under a proxy that keeps
// one call open.
//
//	receive ──► intake ──► take: one request to the session for what is there, one answer after its commit
//	                         │ lines that are durable
//	session ──► outbox ◄─────┘
//	              │
//	              └──► send, the only writer of the call
//
// # Who owns what
//
// A call owns its [connection], with a bounded intake and a bounded outbox. The session owns everything else: when the
// call ends, inputs and decisions wait there for the next call.
//
// # Guarantees and their order
//
// ProxyRegistered is the first event. Frames reach the session in the order in which the proxy sent them, one request
// at a time, so at most one batch is uncommitted. A line is acknowledged after its commit. The end of the call is the
// last thing that the proxy reads.
//
// # On a crash
//
// Nothing survives. The call ends with UNAVAILABLE, also when the session's actor is restarted. The proxy then
// registers again and resends all lines that were not acknowledged.
package proxy
