import { becomesTrue } from '@probe-mesh/infra/start/embedded/bounded'

const waitMs = 60_000
const everyMs = 100

/** Waits for what should come. @throws Error that says what did not come within a minute */
export const until = async (
  what: string,
  check: () => Promise<boolean> | boolean,
  pollMs = everyMs,
): Promise<void> => {
  if (await becomesTrue(async () => check(), { waitMs, everyMs: pollMs })) return
  throw new Error(`${what}: not within ${waitMs} ms`)
}
