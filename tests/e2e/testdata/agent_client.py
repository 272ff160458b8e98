"""A client of the agent socket, written from its document alone: python3 agent_client.py SOCKET CWD.

It begins a session, denies the first request, allows the second, and closes. It fails with a
message when an answer is not as the document says.
"""

import json
import socket
import sys

ORDER = {
    "system": ["subtype", "claudeSessionId", "tools", "model", "cwd"],
    "assistant_text": ["uuid", "text"],
    "tool_use": ["uuid", "toolName", "toolInput", "toolUseId"],
    "tool_result": ["uuid", "toolUseId", "output", "isError"],
    "permission_request": ["requestId", "toolName", "toolInput", "toolUseId", "suggestions"],
    "question": ["requestId", "questions"],
    "stream_delta": ["uuid", "delta"],
    "result": ["subtype", "isError", "result", "totalCostUsd", "durationMs", "numTurns", "errors"],
    "error": ["error"],
    "session_status": ["status"],
}


class Client:
    def __init__(self, path):
        self.conn = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.conn.settimeout(180)
        self.conn.connect(path)
        self.lines = self.conn.makefile("r", encoding="utf-8", newline="\n")

    def send(self, kind, **members):
        line = json.dumps({"type": kind, "sessionId": "py", **members}, ensure_ascii=False)
        self.conn.sendall(line.encode() + b"\n")

    def next(self):
        line = json.loads(self.lines.readline())
        keys = list(line)
        want = ["sessionId", "type"] + [k for k in ORDER[line["type"]] if k in line]
        assert keys == want, f"the keys of {line} are not {want}"
        return line

    def until(self, kind, status=None):
        while True:
            line = self.next()
            assert line["type"] != "error", line
            if line["type"] == kind and line.get("status") == status:
                return line


client = Client(sys.argv[1])
prompt = sys.argv[3] if len(sys.argv) > 3 else "run:touch made.txt"
client.send("start_session", cwd=sys.argv[2], prompt=prompt)
for status in ("started", "processing"):
    line = client.next()
    assert line["type"] == "session_status" and line["status"] == status, line
system = client.next()
assert system["type"] == "system" and system["claudeSessionId"], system
for number, behavior in enumerate(("deny", "allow"), start=1):
    if number > 1:
        client.send("send_prompt", prompt=prompt)
    asked = client.until("permission_request")
    assert asked["requestId"] == f"req_{number}", asked
    client.send("permission_response", requestId=asked["requestId"], behavior=behavior)
    done = client.until("tool_result")
    assert done["toolUseId"] == asked["toolUseId"], done
    assert done.get("isError", False) == (behavior == "deny"), done
    client.until("result")
    client.until("session_status", "idle")
client.send("close_session")
client.until("session_status", "closed")
print("ok")
