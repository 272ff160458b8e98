// Package fault makes the errors of the journal: what failed, on which file, and what
// a person can do about it. It knows no formats and opens no files.
//
// An error of the system (a full disk, a missing permission) becomes
// [messages.Unavailable], data that is not what was written becomes
// [messages.DataLoss]. An error that is a [messages.Error] already is passed on as it
// is. Errors are values of their own for every caller ([Again]), since callers add
// details to them.
package fault
