// Package query reads what a person searches for, and finds it in a text. It is pure.
//
//	words next to each other     all of them
//	"a few words"                in this order, next to each other
//	read*                        words that begin so
//	-word, -"a few words"        not with these
//
// A word that the index cuts into several, such as readFile or cmd/main.go, is these words next to each other.
package query
