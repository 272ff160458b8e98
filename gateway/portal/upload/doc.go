// Package upload assembles files that arrive in pieces, from pages of the portal and from foreign portals
// to 'betcode proxy'. It is pure.
//
// A [File] accepts pieces in any order, each once. It buffers at most the announced size, so the caller
// decides how much memory it may take before the first piece. It returns only complete files: when the
// process is killed, nothing of an incomplete one is left.
package upload
