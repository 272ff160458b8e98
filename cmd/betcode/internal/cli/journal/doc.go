// Package journal has the commands of 'betcode journal': statistics, verification, backups, restore and repair.
//
// Each works on the daemon's journal through the daemon, or on the files of a directory that no daemon uses; package offline
// does that. A command that finds damage ends with 7.
package journal
