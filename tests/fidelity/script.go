package main

// script is the script of the model: the ready scripts, and a subagent under each name that
// versions have for the tool.
const script = `{
  "include": ["text", "tool", "question", "story", "job", "subagent", "plan", "errors"],
  "rules": [
    {"name": "delegate", "when": {"prompt": "(?i)^delegate\\b"}, "reply": [
      {"tool": "Agent", "input": {"description": "Look around", "prompt": "Please look around the files.", "subagent_type": "general-purpose", "run_in_background": false}}]},
    {"name": "delegate, older", "when": {"prompt": "(?i)^delegate\\b", "after": 1, "result": "(?i)no such tool"}, "reply": [
      {"tool": "Task", "input": {"description": "Look around", "prompt": "Please look around the files.", "subagent_type": "general-purpose"}}]},
    {"name": "delegated", "when": {"prompt": "(?i)^delegate\\b", "after": -1}, "reply": [{"text": "The subagent is finished."}]},
    {"name": "subagent asks", "when": {"prompt": "(?i)^please look around"}, "reply": [
      {"tool": "Bash", "input": {"command": "touch sub.txt && echo from-sub", "description": "run it"}}]},
    {"name": "subagent reports", "when": {"prompt": "(?i)^please look around", "after": 1}, "reply": [{"text": "Subagent report: saw ${result}."}]},
    {"name": "anything else", "when": {"after": -1}, "reply": [{"text": "You said: ${prompt}"}]}
  ]
}`
