// Package gateways attacks the agent socket, the portal and the proxies, from both of their sides:
// browsers and clients, proxies that want more than their session, and portals that want more than a
// person at them may do.
package gateways

import "slices"

// Scenarios lists the scenarios of this package in the order in which they start.
var Scenarios = slices.Concat(
	gatewayScenarios,       // clients of the agent socket
	portalScenarios,        // browsers
	portalBoundScenarios,   // browsers that want all of it
	proxiedScenarios,       // proxies of sessions
	hostileProxyScenarios,  // proxies that want more than their session
	proxyScenarios,         // portals of somebody else
	hostilePortalScenarios, // portals that want more than a person may do
	voiceScenarios,         // people who speak, and what understands them
)
