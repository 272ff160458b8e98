// Package paths reports whether a path is in a directory, and completes paths below a directory, and nowhere else.
//
// The caller may be remote, so paths outside must stay unseen: absolute paths,
// "..", and symbolic links that lead out are refused or left out, even if the files
// change meanwhile, because everything is opened through an [os.Root]. A directory
// is read up to a bound, and an answer is bounded as well.
package paths
