// Written by `rig wiki wire`: reports this project's sessions to the task board; `rig wiki wire --remove` takes it back.
import { spawn } from "node:child_process";

const short = (v: unknown) => (typeof v === "string" ? v.slice(0, 1000) : undefined);

// Only what an event can hold goes through the pipe.
function brief(args: Record<string, unknown> = {}) {
  const out: Record<string, unknown> = {};
  for (const k of ["path", "file_path", "command", "pattern", "query", "url", "description"]) out[k] = short(args[k]);
  return out;
}

const textOf = (content: any) => (Array.isArray(content) ? content.filter((c) => c.type === "text").map((c) => c.text).join("\n") : undefined);

export default function (pi: any) {
  const session = `pi-${process.pid}-${Date.now().toString(36)}`;
  const cwd = process.cwd();
  let child: any;
  const gone = () => (child = undefined);
  const tell = (line: object) => {
    try {
      if (child && child.stdin.writableLength < 1 << 20) child.stdin.write(JSON.stringify({ cwd, session, ...line }) + "\n");
    } catch {
      gone();
    }
  };
  const on = (name: string, what: (e: any) => void) =>
    pi.on(name, (e: any) => {
      try {
        what(e);
      } catch {
        // an event of a form to come is not worth a session
      }
    });
  on("session_start", () => {
    if (!child) {
      child = spawn(RIG_COMMAND, ["wiki", "__emit", "pi"], { cwd, stdio: ["pipe", "ignore", "ignore"], detached: true });
      child.on("error", gone).on("exit", gone);
      child.stdin.on("error", gone);
      child.unref();
      child.stdin.unref?.();
    }
    tell({ type: "session" });
  });
  on("tool_execution_start", (e) => tell({ type: "start", id: e.toolCallId, tool: e.toolName, args: brief(e.args) }));
  on("tool_execution_end", (e) => tell({ type: "end", id: e.toolCallId, tool: e.toolName, ok: !e.isError, detail: e.isError ? short(textOf(e.result?.content)) : undefined }));
  on("agent_end", (e) => {
    const last = (e.messages ?? []).filter((m: any) => m.role === "assistant").pop();
    tell({ type: "idle", text: short(last?.errorMessage ?? textOf(last?.content)), ok: last?.stopReason !== "error" });
  });
  on("session_shutdown", () => {
    tell({ type: "over" });
    child?.stdin.end();
  });
}
