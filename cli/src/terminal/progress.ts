import type { Context } from './context.ts'

const silentMs = 1_000
const paceMs = 1_000

/**
 * Shows on standard error what takes longer than a second: on a terminal as one line that counts
 * seconds and disappears, otherwise as one line written once.
 * @param quiet shows nothing
 */
export const withProgress = async <T>(
  { err, now }: Pick<Context, 'err' | 'now'>,
  { what, quiet }: { what: string; quiet: boolean },
  work: Promise<T>,
): Promise<T> => {
  if (quiet) return work
  const startedAt = now()
  let timer: NodeJS.Timeout | undefined
  const show = (): void => {
    if (!err.isTerminal) return err.write(`${what} ...\n`)
    err.write(`\r\u001B[2K${what} ... ${Math.round((now() - startedAt) / 1000)} s`)
    timer = setTimeout(show, paceMs)
  }
  timer = setTimeout(show, silentMs)
  const first = timer
  try {
    return await work
  } finally {
    clearTimeout(timer)
    if (timer !== first) err.write('\r\u001B[2K')
  }
}
