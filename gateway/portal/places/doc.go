// Package places bounds what callers of the portal take at once, so that no one of them keeps the others out.
//
// # Who owns what
//
// [Places] counts places that callers hold, such as those of pages. [Connections] knows the connections of an HTTP server that
// are not upgraded, and closes some. Neither has a goroutine or a timer.
//
// # What is promised
//
//   - A caller gets at most as many places as it leaves to others: of 1024 one caller gets 512, the next 256. However many it
//     asks for, another caller finds one.
//   - A server has a bounded number of connections. A new one closes the oldest of the address that has the most, so a flood
//     closes its own. Upgraded connections are not counted: what they were upgraded for has places.
//
// # On a crash
//
// Nothing is stored: places and connections end with the process.
package places
