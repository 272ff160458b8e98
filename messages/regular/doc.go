// Package regular opens files that an agent may have replaced by something else: a pipe without a
// writer, a device, an endless file, a link. None of them blocks the caller, and reading is limited
// to a size that the caller chooses.
//
// The package has no state. Reading follows symbolic links, and their target must be a regular
// file. Writing does not follow links.
package regular
