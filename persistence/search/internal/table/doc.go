// Package table has the form of a sorted table of words in blocks: each word with its value, and without the beginning that it shares
// with the word before. It is pure.
package table
