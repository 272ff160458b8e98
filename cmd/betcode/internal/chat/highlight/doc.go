// Package highlight finds the words, texts, numbers and comments of source code, so that a terminal can colour them.
//
// It is one small scanner with a table of languages. It has no grammar: a word is a keyword in every position. A wrong guess
// costs a colour and never a character, because the tokens of a text always join to the text itself. Decision 0285 has the
// reasons against a library.
package highlight
