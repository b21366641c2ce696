// Waits for a state, never for a time.

/** Asks until the answer is true, and returns it. The bound is a hang guard: what is waited for takes moments, and longer where much else runs. */
export async function until(what, ask, { bound = 60_000 } = {}) {
  const end = Date.now() + bound;
  let last;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) {
        return answer;
      }
      last = answer;
    } catch (error) {
      if (error.code === 'ERR_ASSERTION') {
        throw error; // it cannot become true any more
      }
      last = error;
    }
    if (Date.now() > end) {
      throw new Error(`waited for: ${what}; last: ${last instanceof Error ? last.message : JSON.stringify(last)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Does something until it shows that it was heard: what is drawn anew swallows what was meant for it. It is not done again where it shows already. */
export async function insist(what, act, shows) {
  await until(what, async () => {
    if (await shows()) {
      return true;
    }
    await act();
    return until(what, shows, { bound: 10_000 });
  }, { bound: 120_000 });
}
