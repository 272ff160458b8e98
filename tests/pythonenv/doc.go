// Package pythonenv creates the virtual environment in which the Python example of docs/clients.md
// runs: .cache/python/KEY, installed once by pip from pinned versions whose hashes are checked.
//
// Python is no prerequisite of this project. If a prerequisite is missing, [Ensure] returns
// [ErrUnavailable] and tests skip.
package pythonenv
