// Package conformance checks the daemon against the documents that it implements.
//
// testdata/rows.txt lists their requirements: each call, field, enum value, error code and row of a
// table. Stories drive the built daemon from outside, through gRPC and the command line, and claim
// rows. The client's interceptors record messages and statuses. Then each row is judged, and
// docs/conformance.md has the result:
//
//   - a call has to be described by the daemon (gRPC reflection) as the documents
//     have it, and to have succeeded;
//   - a field has to have the document's number, name and type. One of an answer has
//     to have been seen with a value, one of a request has to have been claimed by a
//     story that sent it and looked at its effect;
//   - a status or an error code has to have reached a client, with the document's
//     status;
//   - everything else has to have been claimed by a story, or be shown by existing tests that
//     rows.txt names: behaviour over hours is tested in virtual time.
//
// Rows that are planned or decided otherwise stay listed. A planned row that is claimed or served
// is a failure: update the list.
package conformance
