// Package places bounds the concurrent use of the portal by each caller, so that no caller locks the others out.
//
// # Who owns what
//
// [Places] counts places that callers have, such as those of pages. [Connections] tracks the connections of an HTTP
// server that are not upgraded, and closes some. Neither has a goroutine or a timer.
//
// # Guarantees
//
//   - A caller gets at most as many places as it leaves free: of 1024 one caller gets 512, the next 256. So there is
//     always a place for another caller.
//   - A server has a bounded number of connections. A new one closes the oldest connection of the address that has the
//     most, so a flood closes its own. Upgraded connections are not counted; their users have places.
//
// # On a crash
//
// Nothing is stored: places and connections end with the process.
package places
