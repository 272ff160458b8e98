// A client of betcode.v1 on Node's own HTTP/2 stack, written from the proto files and
// docs/clients.md. scenarios.mjs says what it is played through.
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";

// contract loads all files of proto/betcode/v1. Sequences stay exact as strings.
function contract(root) {
  const files = readdirSync(path.join(root, "betcode", "v1")).filter((f) => f.endsWith(".proto"));
  const loaded = loader.loadSync(files.map((f) => `betcode/v1/${f}`), {
    includeDirs: [root], keepCase: true, longs: String, enums: String, oneofs: true, defaults: true,
  });
  return grpc.loadPackageDefinition(loaded).betcode.v1;
}

// Connection is one channel to the daemon, and the name of its client.
export class Connection {
  constructor({ proto, target, client, token, gzip }) {
    const api = contract(proto);
    const options = { "grpc.initial_reconnect_backoff_ms": 50, "grpc.max_reconnect_backoff_ms": 500 };
    if (gzip) {
      options["grpc.default_compression_algorithm"] = grpc.compressionAlgorithms.gzip;
    }
    const of = (service) => new service(target, grpc.credentials.createInsecure(), options);
    this.agents = of(api.AgentService);
    this.version = of(api.VersionService);
    this.metadata = new grpc.Metadata();
    this.metadata.set("x-client-id", client ?? `node-${randomUUID()}`);
    this.metadata.set("x-client-type", "node");
    if (token) {
      this.metadata.set("authorization", `Bearer ${token}`);
    }
  }

  // call makes a unary call. An error has code, details and metadata.
  call(service, method, request, deadline) {
    return new Promise((resolve, reject) => {
      this[service][method](request, this.metadata, deadline ? { deadline } : {}, (error, answer) => (error ? reject(error) : resolve(answer)));
    });
  }

  // replay reads a session's history to the end of the stream.
  async replay(session, from = 0) {
    const events = [];
    for await (const event of this.agents.ResumeSession({ session_id: session, from_sequence: from }, this.metadata)) {
      events.push(event);
    }
    return events;
  }

  // converse opens a stream and attaches it.
  converse(start, deadline) {
    const stream = new Stream(this.agents.Converse(this.metadata, deadline ? { deadline } : {}));
    stream.send({ start });
    return stream;
  }

  close() {
    this.agents.close();
    this.version.close();
  }
}

// Stream is one Converse stream: it keeps its events, and its status when it has ended.
export class Stream {
  constructor(call) {
    this.call = call;
    this.events = [];
    this.ended = null; // the status
    this.waiting = []; // functions called after each event and at the end
    const wake = () => this.waiting.splice(0).forEach((go) => go());
    call.on("data", (event) => { this.events.push(event); wake(); });
    call.on("status", (status) => { this.ended = status; wake(); });
    call.on("error", () => {}); // the status says the same
  }

  send(request) {
    this.call.write(request);
  }

  say(content, key) {
    this.send({ message: { content, ...(key && { idempotency_key: key }) } });
  }

  // next returns the first event from a place on that is wanted, and the place behind it.
  // A stream that ends before throws its status.
  async next(wanted, from = 0) {
    for (let at = from; ; at++) {
      while (at >= this.events.length) {
        if (this.ended) {
          throw this.ended;
        }
        await new Promise((go) => this.waiting.push(go));
      }
      if (wanted(this.events[at])) {
        return [this.events[at], at + 1];
      }
    }
  }

  // end waits for the status.
  async end() {
    while (!this.ended) {
      await new Promise((go) => this.waiting.push(go));
    }
    return this.ended;
  }
}

export const is = (kind) => (event) => event.event === kind;
export const text = (events) => events.filter(is("text_delta")).map((e) => e.text_delta.text).join("");

// sequences are the numbers of the journaled events.
export const sequences = (events) => events.map((e) => Number(e.sequence)).filter((n) => n > 0);
