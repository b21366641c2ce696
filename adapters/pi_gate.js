// The gate of a run: it judges each tool call of pi by the grant in the file that RIG_GATE_POLICY names.
// It fails closed: pi blocks a call whose gate throws, and does not start where this file or the policy is missing.
import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

const policy = JSON.parse(readFileSync(process.env.RIG_GATE_POLICY, "utf8"));
const readers = new Set(["read", "grep", "find", "ls"]);

// real resolves links of what exists; what does not exist yet lies in its nearest folder that does.
function real(path) {
  const rest = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(realpathSync(at), ...rest);
    } catch {
      rest.unshift(basename(at));
      if (dirname(at) === at) throw new Error("no such path");
    }
  }
}

function below(path, folder) {
  return path === folder || path.startsWith(folder + sep);
}

function mayWrite(path) {
  if (!policy.write) return "this run may not write";
  const cwd = real(policy.cwd);
  const at = real(resolve(policy.cwd, path));
  if (!below(at, cwd) || at === cwd) return "outside of the folder of this run";
  for (const p of policy.readOnly ?? []) {
    if (below(at.toLowerCase(), join(cwd, p).toLowerCase())) return p + " is read-only";
  }
}

function hasPrefix(command, prefix) {
  return command === prefix || command.startsWith(prefix + " ");
}

// mayRun allows plain commands that begin with a granted prefix, several of them joined; anything that the shell would expand, substitute
// or redirect is refused, since its meaning is not on the page.
function mayRun(command) {
  if (/[`$<>\\(){}\n\r*?~!#]/.test(command.replaceAll(/'[^']*'/g, "''"))) return "only plain commands may run: no redirection, expansion or substitution";
  for (const part of command.split(/&&|\|\||[;|&]/)) {
    const plain = part.trim().replaceAll(/\s+/g, " ");
    if (!(policy.commands ?? []).some((c) => hasPrefix(plain, c)) && !(policy.exact ?? []).includes(plain)) return "not among the commands of this run: " + plain;
    const bare = plain.replaceAll(/['"]/g, "");
    if ((policy.denied ?? []).some((c) => hasPrefix(bare, c))) return "denied for this run: " + plain;
  }
}

export default function (pi) {
  pi.on("tool_call", (call) => {
    let reason = "no such tool in this run";
    const input = call.input ?? {};
    if (readers.has(call.toolName)) reason = undefined;
    else if (call.toolName === "write" || call.toolName === "edit") reason = mayWrite(input.path ?? input.file_path ?? "");
    else if (call.toolName === "bash") reason = mayRun(String(input.command ?? ""));
    // Not "rig: ", with which our git and gh begin what they have to say: that is a command's failure, this is a call that never ran.
    if (reason) return { block: true, reason: "rig refuses: " + reason };
  });
}
