// Package words cuts text into the words by which it is found. It is pure: the index, queries and snippets use the same cut, so a
// text is found by each of its words.
//
// A word is a run of letters and digits of any script. Its form is folded: lower case, compatibility forms replaced, Latin, Greek
// and Cyrillic letters without accents. Identifiers are cut at underscores and at changes of case, and are words as a whole as
// well: readFile and read_file are "read", "file" and "readfile". Scripts without spaces between words are cut into overlapping
// pairs of characters.
package words
