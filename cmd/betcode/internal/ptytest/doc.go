// Package ptytest is a terminal for tests of programs that talk to a person. It exists on Linux.
package ptytest
