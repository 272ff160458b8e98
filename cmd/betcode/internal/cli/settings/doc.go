// Package settings has the commands of 'betcode config': show, set and check settings, and where they come from.
//
// The commands change the file with package config. A running daemon reloads it by itself, and reports what has taken
// effect.
package settings
