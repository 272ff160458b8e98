// Attack drives the built daemon as an attacker does: an agent,
// a repository, another user, a client with too few rights. Each finding of a
// review is a case here, with its relatives; `make attack` runs them all and ends
// with
//
//	attack: cases=N held=N open=0
//
// and the number of cases that this user or system cannot try, if there are any.
//
// Package siege plays a scenario. The other packages have the scenarios, by the boundary that they
// attack: rules, trust, fence, agents, callers, commands, gateways. docs/security.md names the
// scenario that shows each of its claims.
package main
