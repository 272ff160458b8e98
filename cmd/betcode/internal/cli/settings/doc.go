// Package settings has the commands of 'betcode config': show, set and check settings, and where they come from.
//
// The file is changed here, by package config; a daemon that runs reads it by itself, and is asked what has taken effect.
package settings
