// Package fault makes the errors of the journal: what failed, on which file, and what
// a person can do about it. It knows no formats and opens no files.
//
// An error of the system (a full disk, a missing permission) becomes
// [messages.Unavailable], data that differs from what was written becomes
// [messages.DataLoss]. An error that already is a [messages.Error] is passed on
// unchanged. Every caller gets an error value of its own ([Again]), since callers add
// details to them.
package fault
