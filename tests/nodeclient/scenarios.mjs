// Plays one scenario and prints what the client saw as one line of JSON:
//
//	node scenarios.mjs SCENARIO < arguments.json
//
// Lines before the last are marks for the test, which acts on the daemon meanwhile.
import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import grpc from "@grpc/grpc-js";
import { Connection, is, sequences, text } from "./client.mjs";

const input = JSON.parse(readFileSync(0, "utf8"));
const connect = (more) => new Connection({ ...input, ...more });
const mark = (word) => process.stdout.write(`${word}\n`);
const code = (status) => grpc.status[status.code];

const scenarios = {
  // What the published command line does with one prompt; it knows published fields only.
  async headless() {
    const connection = connect();
    const before = await connection.replay(input.session).catch((e) => (code(e) === "NOT_FOUND" ? [] : Promise.reject(e)));
    const stream = connection.converse({ session_id: input.session, working_directory: input.directory });
    stream.say(input.prompt);
    await stream.next(is("turn_complete"));
    stream.call.cancel();
    connection.close();
    return { before: text(before), answer: text(stream.events) };
  },

  // What the published screen does: Converse first, the past by ResumeSession beside it, and
  // one place for what a person is asked.
  async screen() {
    const connection = connect();
    const stream = connection.converse({ session_id: input.session });
    let [event, at] = await stream.next(is("session_info"));
    const history = await connection.replay(input.session);
    stream.say(input.prompt);
    const asked = [];
    while (event.event !== "turn_complete") {
      [event, at] = await stream.next((e) => ["permission_request", "user_question", "turn_complete"].includes(e.event), at);
      const slot = event[event.event];
      if (event.event === "permission_request") {
        asked.push(`${slot.tool_name} ${slot.input.fields.command.stringValue}`);
        stream.send({ permission: { request_id: slot.request_id, decision: "ALLOW_ONCE" } });
      } else if (event.event === "user_question") {
        asked.push(slot.question);
        stream.send({ question_response: { question_id: slot.question_id, answers: { [slot.question]: slot.options[0].value } } });
      }
    }
    stream.call.end();
    const status = await stream.end();
    connection.close();
    return { history: text(history), answer: text(stream.events), asked, status: code(status) };
  },

  // Attaches again from its sequence whenever the daemon is gone, and sends its prompt and
  // its decision again, under the same names.
  async reconnect() {
    const connection = connect();
    const key = randomUUID();
    const start = { session_id: input.session, working_directory: input.directory, from_sequence: "0", keeps_prompts: true };
    const decisions = new Set();
    const events = [];
    let attached = 0;
    for (;;) {
      const stream = connection.converse(start);
      let head = 0;
      try {
        for (let at = 0, event; ;) {
          [event, at] = await stream.next(() => true, at);
          if (Number(event.sequence) > 0) {
            events.push(event);
            start.from_sequence = event.sequence;
          }
          if (event.event === "session_info" && event.sequence === "0") {
            head = Number(event.session_info.head);
            mark(`attached ${++attached}`);
            stream.say(input.prompt, key);
          } else if (event.event === "permission_request" && (event.sequence === "0" || Number(event.sequence) > head)) {
            const id = event.permission_request.request_id;
            mark(`asked ${event.sequence === "0" ? "again" : "first"}`);
            if (event.sequence === "0") { // the first daemon is killed while this waits
              decisions.add(id);
              stream.send({ permission: { request_id: id, decision: "ALLOW_ONCE" } });
            }
          } else if (event.event === "turn_complete" && event.turn_complete.input_keys.includes(key)) {
            stream.call.cancel();
            connection.close();
            return { answer: text(events), sequences: sequences(events), attached, decisions: decisions.size };
          }
        }
      } catch (status) {
        if (code(status) !== "UNAVAILABLE") {
          throw status;
        }
        await new Promise((go) => setTimeout(go, 100));
      }
    }
  },

  // Says that it sends no more, with its message: the stream ends with the turn.
  async halfclose() {
    const connection = connect();
    const stream = connection.converse({ session_id: input.session, working_directory: input.directory });
    stream.say(input.prompt);
    stream.call.end();
    const status = await stream.end();
    connection.close();
    return { answer: text(stream.events), complete: stream.events.some(is("turn_complete")), status: code(status) };
  },

  // Leaves a running turn by a deadline and by cancelling, and meets a deadline in a unary call.
  async leave() {
    const connection = connect();
    const late = connection.converse({ session_id: input.session, working_directory: input.directory }, Date.now() + 5000);
    late.say(input.prompt);
    await late.next(is("text_delta"));
    const expired = await late.end();
    const again = connection.converse({ session_id: input.session, history: "HISTORY_POLICY_FULL" });
    await again.next(is("text_delta"));
    again.call.cancel();
    const cancelled = await again.end();
    // The holder of the lock does not respond for ten seconds.
    const other = connect({ client: "other" });
    const held = connection.converse({ session_id: input.session });
    await held.next(is("session_info"));
    const watching = other.converse({ session_id: input.session });
    await watching.next(is("session_info"));
    const slow = await other.call("agents", "RequestInputLock", { session_id: input.session }, Date.now() + 500).catch((e) => e);
    const cancel = await connection.call("agents", "CancelTurn", { session_id: input.session }).catch((e) => e);
    [held, watching].forEach((s) => s.call.cancel());
    connection.close();
    other.close();
    return { expired: code(expired), cancelled: code(cancelled), slow: code(slow), active: cancel.was_active, error: cancel.details };
  },

  // Asks for the version and the sessions, and begins a turn, with whatever token it has.
  async remote() {
    const connection = connect();
    const outcome = {};
    const version = await connection.call("version", "GetVersion", {}).catch((e) => e);
    outcome.version = version.code ? code(version) : "OK";
    const list = await connection.call("agents", "ListSessions", {}).catch((e) => e);
    outcome.list = list.code ? code(list) : "OK";
    outcome.details = list.details ?? "";
    outcome.reason = list.metadata?.get("grpc-status-details-bin").join("") ?? "";
    const stream = connection.converse({ session_id: input.session, working_directory: input.directory });
    stream.say(input.prompt);
    stream.call.end();
    outcome.converse = code(await stream.end());
    outcome.answer = text(stream.events);
    connection.close();
    return outcome;
  },

  // Sends a large message and reads large events.
  async large() {
    const connection = connect();
    const stream = connection.converse({ session_id: input.session, working_directory: input.directory });
    const data = Buffer.alloc(input.attachment ?? 0, "a");
    data.write("%PDF-1.4\n");
    const attachments = data.length ? [{ filename: "large.pdf", mime_type: "application/pdf", data }] : [];
    stream.send({ message: { content: input.prompt + "x".repeat(input.size), attachments } });
    stream.call.end();
    const status = await stream.end();
    connection.close();
    const error = stream.events.find(is("error"));
    return { length: text(stream.events).length, status: code(status), details: status.details, error: error?.error.code ?? "" };
  },
};

try {
  mark(JSON.stringify(await scenarios[process.argv[2]]()));
} catch (error) {
  process.stderr.write(`${error.code !== undefined ? `${code(error)}: ${error.details}` : error.stack}\n`);
  process.exitCode = 1;
}
