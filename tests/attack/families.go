package main

import "slices"

// scenarios lists all of them in the order in which they start.
var scenarios = slices.Concat(
	// The rules and the files that the daemon protects.
	ruleScenarios,    // allow, ask and deny rules, one command at a time
	trustScenarios,   // settings of directories that are not trusted
	protectScenarios, // protected files, under grants and modes
	modeScenarios,    // permission modes in which Claude Code decides by itself
	approveScenarios, // agents that write the rules by which they are judged

	// The fence, the gateway, the callers.
	fenceScenarios,  // agents that approve themselves, or write outside their project
	doorScenarios,   // values of callers that become options of the agent
	floodScenarios,  // too much, too often, too large
	rightScenarios,  // callers without the scope
	shownScenarios,  // text that deceives the person who reads it
	optionScenarios, // options of a session's agents

	// The same again from other sides.
	secondFenceScenarios,   // the border of a fence, and what it is built from
	secondHTTPScenarios,    // the protocol below the calls
	secondOrphanScenarios,  // agents that pass for other callers
	nestedScenarios,        // directories below that of a session
	callScenarios,          // system calls that a shell does not make
	hardScenarios,          // other names of protected files
	repositoryScenarios,    // repositories beside the agent's, and programs in settings of git
	worktreeScenarios,      // what the daemon does with repositories on its own
	forgedScenarios,        // messages that a child of the agent forges
	nameScenarios,          // names of tools
	duringScenarios,        // files that change while the agent works
	endlessScenarios,       // files that have no end
	honourScenarios,        // the table of modes, as the pinned Claude Code obeys it
	linkScenarios,          // links in place of files that the daemon writes
	forwardedScenarios,     // requests of subagents that are shown elsewhere
	fleetServerScenarios,   // children that pass for the fleet server of their agent
	gatewayScenarios,       // clients of the agent socket
	portalScenarios,        // browsers
	portalBoundScenarios,   // browsers that want all of it
	guestScenarios,         // people with whom sessions are shared
	proxiedScenarios,       // proxies of sessions
	hostileProxyScenarios,  // proxies that want more than their session
	proxyScenarios,         // portals of somebody else
	hostilePortalScenarios, // portals that want more than a person may do
	lockScenarios,          // the input lock
	repeatScenarios,        // prompts that are repeated
	searchScenarios,        // searches of all history
	noticeScenarios,        // texts and settings of notifications
	voiceScenarios,         // people who speak, and what understands them
)
