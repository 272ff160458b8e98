"""Sends a prompt, prints the answer, asks about permissions, and survives the daemon:

    python3 client.py SOCKET SESSION DIRECTORY PROMPT
"""
import queue
import sys
import time
import uuid

import grpc
from betcode.v1 import agent_pb2 as pb
from betcode.v1 import agent_pb2_grpc


class Turn:
    """What a client remembers between two streams."""

    def __init__(self, session, directory, prompt):
        # from_sequence of the start: the last event that was handled
        self.start = pb.StartConversation(session_id=session, working_directory=directory)
        # the same key each time the prompt is sent
        self.prompt = pb.UserMessage(content=prompt, idempotency_key=str(uuid.uuid4()))
        self.allowed = {}  # what a person decided, by request id
        self.metadata = [("x-client-id", f"example-{uuid.uuid4()}")]

    def converse(self, agents):
        """Attaches once, and returns when the turn is over."""
        requests = queue.SimpleQueue()
        requests.put(pb.AgentRequest(start=self.start))
        events = agents.Converse(iter(requests.get, None), metadata=self.metadata)
        head = 0  # events up to it are history
        try:
            for event in events:
                self.start.from_sequence = max(self.start.from_sequence, event.sequence)
                kind = event.WhichOneof("event")
                if kind == "session_info" and event.sequence == 0:
                    # attached: send the prompt, or send it again
                    head = event.session_info.head
                    self.start.from_sequence = self.start.from_sequence or head
                    requests.put(pb.AgentRequest(message=self.prompt))
                elif kind == "text_delta":
                    print(event.text_delta.text, end="", flush=True)
                elif kind == "permission_request" and (event.sequence == 0 or event.sequence > head):
                    # it still waits
                    requests.put(pb.AgentRequest(permission=self.decide(event.permission_request)))
                elif kind == "error" and event.error.details.get("idempotency_key") == self.prompt.idempotency_key:
                    sys.exit(event.error.message)  # the prompt was refused
                elif kind == "turn_complete" and self.prompt.idempotency_key in event.turn_complete.input_keys:
                    return
        finally:
            requests.put(None)  # ends the sender
            events.cancel()

    def decide(self, request):
        """Asks a person once about each request. A lost answer is sent again."""
        if request.request_id not in self.allowed:
            answer = input(f"\n{request.tool_name}: {request.description} [y/N] ")
            self.allowed[request.request_id] = answer == "y"
        decision = pb.ALLOW_ONCE if self.allowed[request.request_id] else pb.DENY
        return pb.PermissionResponse(request_id=request.request_id, decision=decision)


turn = Turn(*sys.argv[2:5])
with grpc.insecure_channel(f"unix:{sys.argv[1]}") as channel:
    while True:
        try:
            turn.converse(agent_pb2_grpc.AgentServiceStub(channel))
            break
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE:
                sys.exit(error.details())
            print(f"no daemon; trying again, behind event {turn.start.from_sequence}", file=sys.stderr)
            time.sleep(0.5)
