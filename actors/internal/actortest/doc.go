// Package actortest is what the tests of package actors and of the packages below it have in common: a model of the journal,
// and events as short texts. Only tests import it.
//
// A [Chronicle] is not safe for concurrent use. It does no I/O; the store that shares one between actors holds a lock.
package actortest
