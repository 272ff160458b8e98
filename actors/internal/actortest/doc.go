// Package actortest has the common parts of the tests of package actors and of the packages below it: a model of the journal,
// and events as short texts. Only tests import it.
//
// A [Chronicle] is not safe for concurrent use. It does no I/O; the store that shares one between actors holds a lock.
package actortest
