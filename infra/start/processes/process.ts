import { parseArgv } from '@probe-mesh/runtime/argv'
import type { Logger } from 'pino'

/** A longer stop is cut off: the contract promises less than 15 s. */
const stopMsMax = 13_000

/** Prints the problems of flags and environment and exits with code 1. */
export const refuseToStart = (
  program: { title: string; command: string },
  problems: readonly string[],
): never => {
  const list = problems.map((problem) => `  - ${problem}`)
  console.error([`${program.title} cannot start:`, ...list].join('\n'))
  console.error(`${program.command} --help lists flags and environment.`)
  process.exit(1)
}

/** Prints one line with a reason that only a person can fix, and exits. @param code for supervisors */
export const exitWith = (program: { title: string }, text: string, code: number): never => {
  console.error(`${program.title} cannot continue: ${text}.`)
  process.exit(code)
}

/**
 * An unhandled rejection breaks an invariant of ours: the program exits, and its supervisor restarts it.
 * @param isForeign whether an error is what a server said: no work waited for the answer, and the program continues
 */
export const stopOnBug = (log: Logger, isForeign: (error: unknown) => boolean = () => false): void => {
  process.on('unhandledRejection', (error) => {
    if (isForeign(error)) {
      log.error({ err: error }, 'a server refused work that nothing waits for; continuing')
      return
    }
    log.fatal({ err: error }, 'unexpected error, which is a bug; stopping')
    process.exit(1)
  })
}

/** Resolves at the first stop signal. A second SIGINT exits at once. */
export const awaitStopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    let isStopping = false
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (isStopping && signal === 'SIGINT') process.exit(130)
        isStopping = true
        resolve()
      })
    }
  })

/** Closes all parts within `stopMsMax` and exits with `code`, or with 1 after `stopMsMax`. */
export const stopAndExit = async (close: () => Promise<void>, log: Logger, code = 0): Promise<never> => {
  setTimeout(() => {
    log.error({ stopMsMax }, 'did not stop in time; the next start finishes the remaining work')
    process.exit(1)
  }, stopMsMax).unref()
  await close()
  process.exit(code)
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Parses the flags of a program that is configured by its environment only: `--help` or none. */
export const parseHelpFlag = (args: string[]): { help: boolean; problem: string | null } => {
  const parsed = parseArgv({ call: '', about: '', commands: { '': { summary: '' } } }, args)
  const problem = parsed.kind === 'wrong' ? parsed.problems.join(', ') : null
  return { help: parsed.kind === 'help', problem }
}
