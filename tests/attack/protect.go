package main

// protectScenarios attack what docs/security.md says of: protect.
var protectScenarios []scenario
