import type { World } from './world.ts'

const silentMs = 1_000
const paceMs = 1_000

/**
 * Says on standard error what is waited for once that takes more than a second: on a terminal in one
 * line that counts the seconds and goes away, elsewhere in a line that is written once.
 * @param quiet nothing is said
 */
export const withProgress = async <T>(
  { err, now }: Pick<World, 'err' | 'now'>,
  { what, quiet }: { what: string; quiet: boolean },
  work: Promise<T>,
): Promise<T> => {
  if (quiet) return work
  const startedAt = now()
  let timer: NodeJS.Timeout | undefined
  const say = (): void => {
    if (!err.isTerminal) return err.write(`${what} ...\n`)
    err.write(`\r\u001B[2K${what} ... ${Math.round((now() - startedAt) / 1000)} s`)
    timer = setTimeout(say, paceMs)
  }
  timer = setTimeout(say, silentMs)
  const first = timer
  try {
    return await work
  } finally {
    clearTimeout(timer)
    if (timer !== first) err.write('\r\u001B[2K')
  }
}
