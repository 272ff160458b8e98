// Package table implements the form of a sorted table of words in blocks: each word with its value, and without the prefix that it
// shares with the previous word. It is pure.
package table
