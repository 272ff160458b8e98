// Package exit maps the error of a command to its exit code and to the message for a person.
//
// One table maps gRPC codes to exit codes, one maps the kinds of our own errors. Commands that know better return an
// error made by [With], [Usage] or [Silent]. [Code] and [Explain] read what they returned; nothing else interprets errors.
package exit
