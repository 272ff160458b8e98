// Package foreignportal is a foreign portal for tests: the backend of package proxytest, with the
// reference's faults and a strict reader, behind a WebSocket, and the HTTP routes of its device
// login. A session of betcode registers there as a proxy.
package foreignportal

import "betcode/gateway/portal/proxy/proxytest"

type (
	// Frame is one message.
	Frame = proxytest.Frame
	// Session is a session in the tables of the reference.
	Session = proxytest.Session
)
