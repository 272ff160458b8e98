// Package query parses a person's query, and finds its words in a text. It is pure.
//
//	words next to each other     all of them
//	"a few words"                in this order, next to each other
//	read*                        words with this beginning
//	-word, -"a few words"        not with these
//
// A word that the index cuts into several, such as readFile or cmd/main.go, is these words next to each other.
package query
