// Written by `rig wiki wire`: reports this project's sessions to the task board; `rig wiki wire --remove` takes it back.
import { spawn } from "node:child_process";

const short = (v) => (typeof v === "string" ? v.slice(0, 1000) : undefined);

// Only what an event can hold goes through the pipe.
function brief(args = {}) {
  const out = {};
  for (const k of ["filePath", "path", "command", "pattern", "query", "url", "description"]) out[k] = short(args[k]);
  return out;
}

export const Rig = async ({ directory }) => {
  let child;
  const gone = () => (child = undefined);
  try {
    child = spawn(RIG_COMMAND, ["wiki", "__emit", "opencode"], { cwd: directory, stdio: ["pipe", "ignore", "ignore"], detached: true });
    child.on("error", gone).on("exit", gone);
    child.stdin.on("error", gone);
    child.unref();
    child.stdin.unref?.();
  } catch {
    gone(); // without our program nobody is told, and nothing else changes
  }
  const tell = (line) => {
    try {
      if (child && child.stdin.writableLength < 1 << 20) child.stdin.write(JSON.stringify({ cwd: directory, ...line }) + "\n");
    } catch {
      gone();
    }
  };
  const parents = new Map(); // a subagent's session -> the one that it works for
  const top = (id) => {
    for (let i = 0; parents.has(id) && i < 16; i++) id = parents.get(id);
    return id;
  };
  const said = new Map(); // session -> its last text
  const on = {
    "session.created": ({ info }) => (info.parentID ? parents.set(info.id, info.parentID) : tell({ type: "session", session: info.id })),
    "session.idle": ({ sessionID }) => parents.has(sessionID) || tell({ type: "idle", session: sessionID, text: said.get(sessionID), ok: true }),
    "session.error": ({ sessionID, error }) => tell({ type: "idle", session: top(sessionID), text: short(error?.data?.message ?? error?.name), ok: false }),
    "session.deleted": ({ info }) => parents.has(info.id) || tell({ type: "over", session: info.id }),
    "message.part.updated": ({ part }) => {
      const session = top(part.sessionID);
      if (part.type === "text" && part.time?.end) said.set(session, short(part.text));
      if (part.type !== "tool") return;
      const { status, input, error, metadata } = part.state;
      const call = { session, id: part.callID, tool: part.tool, args: brief(input) };
      if (status === "running") tell({ type: "start", ...call });
      if (status === "completed") tell({ type: "end", ...call, ok: (metadata?.exit ?? 0) === 0 });
      if (status === "error") tell({ type: "end", ...call, ok: false, detail: short(error) });
    },
  };
  return {
    event: async ({ event }) => {
      try {
        on[event.type]?.(event.properties);
      } catch {
        // an event of a form to come is not worth a session
      }
    },
  };
};
