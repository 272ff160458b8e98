// Package highlight finds the words, texts, numbers and comments of source code, so that a terminal can colour them.
//
// It is one small scanner with a table of languages. It knows no grammar: a word is a keyword wherever it stands. A wrong
// guess costs a colour and never a character, because the tokens of a text always join to the text itself. Decision 0285
// says why no library does this.
package highlight
