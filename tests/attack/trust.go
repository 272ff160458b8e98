package main

// trustScenarios attack what docs/security.md says of: trust.
var trustScenarios []scenario
