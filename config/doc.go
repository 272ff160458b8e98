// Package config says where things are and how they shall be: it turns flags,
// environment, files and defaults into one [Settings], of which a [Daemon] is made,
// or into a [Client].
//
// Everything that can be set is a row of [Table]: from it files, flags and variables
// are read and checked, and docs/settings.md is made. To add a setting is to add a
// row and the field it goes into.
//
// # Who says it
//
//	flag                          of the command line
//	BETCODE_…                     in the environment
//	.claude/settings.local.json   of the directory a session works in   [Settings.In]
//	.claude/settings.json         of the same
//	settings.json                 in the configuration directory
//	daemon.toml                   beside it
//	default                       of the row
//
// The first counts. Files of a directory are the agent's as well; they count if the
// user trusts the directory ([Trust]), for rows that say so, and unknown members are
// left alone. A file that is wrong is an error with every line that is ([FileError]);
// what is unknown is a warning.
//
// # Changing
//
// [Update] replaces settings.json whole or not at all, one process after the other,
// and keeps what it does not know. [Watch] tells when files may have changed; to read
// them again is up to the caller, and so is what to do when they are wrong by then.
// Nothing is cached here.
//
// It imports nothing of ours, and only cmd imports it: every other package takes
// Options of its own, which cmd fills.
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
// An XDG variable that is not absolute is ignored, as the XDG specification wants
// it; any other relative path is taken from the working directory.
package config
