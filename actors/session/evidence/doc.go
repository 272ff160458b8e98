// Package evidence keeps, in the record of a run, what proves which orders of an agent came from the daemon.
//
// It is pure. A record has the calls whose request ended without an allow, the control requests that were answered, and when calls
// were decided. The session commits a changed record together with the offset of the lines that changed it, so nothing is forgotten or
// counted twice when the daemon dies in between. Each list is bounded: the oldest entries go first.
package evidence
