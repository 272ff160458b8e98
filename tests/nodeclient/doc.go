// Package nodeclient installs the Node client that tests/e2e plays against the built
// daemon: .cache/node/KEY, by npm from package-lock.json, which pins each package by its
// content.
//
// The client (client.mjs, scenarios.mjs) is the third stack that speaks betcode.v1, beside grpc-go
// and the Python example: @grpc/grpc-js on Node's own HTTP/2. It reads the proto files at run time
// and knows nothing else of this repository. A call that fails there is a defect of the daemon or
// of docs/clients.md.
//
// If a prerequisite is missing, [Ensure] returns [ErrUnavailable] and tests skip.
package nodeclient
