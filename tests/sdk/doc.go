// Sdk compares the codec with the official TypeScript SDK of Claude Code, which documents the lines
// of the CLI as types in its sdk.d.ts. `make sdk` fetches the pinned SDK into .cache/sdk, extracts
// the names of every message, member and control request, and writes them to the table
// actors/internal/claude/testdata/sdk.txt. Only names are extracted. `make sdk SDK=X.Y.Z` pins
// another version.
//
// Each row of the table ends with a verdict, the treatment by the codec; a new row has the verdict
// "new". A test of the codec plays every row and fails where the codec does not follow the verdict:
//
//	go test ./actors/internal/claude -run SDK          # compares
//	go test ./actors/internal/claude -run SDK -update  # judges the new rows
//
// The test of this package fails when the pinned SDK has a name that the table does
// not have, or no longer has one that the table has.
package main
