// Package exit says with which code a command ends and what it tells a person about its failure.
//
// One table maps gRPC codes to exit codes, one maps the kinds of our own errors. Commands that know better return an
// error made by [With], [Usage] or [Silent]. [Code] and [Explain] read what they returned; nothing else interprets errors.
package exit
