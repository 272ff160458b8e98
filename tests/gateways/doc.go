// Gateways plays golden exchanges with both gateways: the built command, a daemon, and the real
// Claude Code behind it, with a scripted model. `make gateways` runs it; it ends with
//
//	gateways: socket=N/N portal_g1=N/N portal_g2=N/N portal_g3=N/N proxy=N/N
//
// and fails if an exchange differs.
//
// # Lanes
//
// A lane is a world with a gateway, in which exchanges are played one after the other: the agent
// socket, the portal once for each generation of its peers, and `betcode proxy` at a scripted portal
// of others. The lanes of the portal play the same files, each in its dialect.
//
// # Exchanges
//
// testdata has a directory for each kind of lane, and a file for each exchange. They were written from
// the tables of the protocols. Each line is a step:
//
//	# text                 a comment; the first line says what is shown
//	! step                 something else than a frame, see steps.go
//	A> FRAME               peer A sends a frame
//	A< PATTERN             the next frame that A gets
//	A* PATTERN             frames that are passed over, any number
//	A/                     A closes its connection
//	A< (closed)            the gateway has closed it
//	[13] STEP              a step of G1 and G3 alone
//
// Patterns are exact, with the order of members. In them … matches any text, and {name} a value that is the same
// wherever the name occurs; later steps may use it. $PROJECT is the directory of the agent, $SESSION the session that
// `! session` has made, and $NEW a UUID.
//
// The frames of a browser are its requests and their answers: "GET /api/config" and "200 application/json {…}".
//
// Frames with what sessions have cost, and with the status and branch of a session, come at their own
// time: they are passed over unless a pattern wants one.
package main
