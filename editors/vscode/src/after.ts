// The bound of a wait.

/** Resolves after some milliseconds. */
export function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
