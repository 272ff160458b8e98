// Package upload puts files together that arrive in pieces: those that pages of the portal send, and those
// that somebody else's portal sends to 'betcode proxy'. It is pure.
//
// A [File] takes pieces in any order, each once. It holds what has been announced and no more, so the
// caller decides how much memory it may take before the first piece. Only a complete file is given out:
// when the process is killed, nothing of an incomplete one is anywhere.
package upload
