// Package config resolves flags, environment, files and defaults to [Settings], which can be
// converted to a [Daemon], or to a [Client].
//
// Every setting is a row of [Table]. Files, flags and variables are parsed and checked by the
// table, and docs/settings.md is generated from it. A new setting needs a row and a field.
//
// # Precedence
//
//	flag                          of the command line
//	BETCODE_…                     in the environment
//	.claude/settings.local.json   of the directory a session works in   [Settings.In]
//	.claude/settings.json         of the same
//	settings.json                 in the configuration directory
//	daemon.toml                   beside it
//	default                       of the row
//
// The first origin with a value has precedence. The agent reads the files of a directory too. They
// apply if the user trusts the directory (package trust) and the row allows it, and their unknown
// members are ignored. An invalid file is an error with all invalid lines ([FileError]); an unknown
// setting is a warning.
//
// # Changing
//
// [Edit] replaces settings.json atomically and under a lock, and keeps unknown members. [Watch]
// reports when files may have changed; the caller reads them again and decides what to do if they
// are invalid. The package caches nothing.
//
// Only cmd imports this package. Every other package has its own Options, which cmd fills.
//
// # Paths
//
//	configuration   $BETCODE_CONFIG_DIR, else
//	                Linux    $XDG_CONFIG_HOME/betcode (~/.config/betcode)
//	                macOS    ~/Library/Application Support/betcode
//	                Windows  %USERPROFILE%\.betcode
//	state           $BETCODE_STATE_DIR, else
//	                Linux    $XDG_STATE_HOME/betcode (~/.local/state/betcode)
//	                macOS    ~/Library/Application Support/betcode/state
//	                Windows  %LOCALAPPDATA%\betcode
//	socket          $BETCODE_SOCKET, else
//	                Linux    $XDG_RUNTIME_DIR/betcode/daemon.sock,
//	                         /run/user/$UID/betcode/daemon.sock
//	                else     daemon.sock in the configuration directory
//
// As the XDG specification requires, an XDG variable that is not absolute is ignored. Any other
// relative path is relative to the working directory.
package config
