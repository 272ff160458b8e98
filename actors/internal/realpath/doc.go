// Package realpath resolves the file that a path names: it follows symbolic links,
// also those of a path whose end does not exist yet, and reports where the answer
// depends on the process that opens the path. Permission rules and the built-in
// list of protected paths share it, so that both judge the same file.
//
// It reads the disk and changes nothing. A link that is replaced between the answer
// and its use is not noticed.
package realpath
