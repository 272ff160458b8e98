// Package postings implements the list of the documents that contain a word, and its form in bytes. It is pure.
package postings
