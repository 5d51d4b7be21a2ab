import { parseArgv } from '@probe-mesh/runtime/argv'
import type { Logger } from 'pino'

/** A stop that takes longer is cut off: contracts promise less than 15 s. */
export const stopMsMax = 13_000

/** What every program says when its flags or its environment are wrong; ends it with code 1. */
export const refuseToStart = (
  program: { title: string; command: string },
  problems: readonly string[],
): never => {
  const list = problems.map((problem) => `  - ${problem}`)
  console.error([`${program.title} cannot start:`, ...list].join('\n'))
  console.error(`${program.command} --help lists flags and environment.`)
  process.exit(1)
}

/** One line of why a program does not go on, where only a person can change that. @param code for supervisors */
export const endWith = (program: { title: string }, text: string, code: number): never => {
  console.error(`${program.title} cannot go on: ${text}.`)
  process.exit(code)
}

/** A rejection that nobody expected is a bug: the program ends, and whoever supervises it starts it. */
export const stopOnBug = (log: Logger): void => {
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'a bug: nobody expected this; stopping')
    process.exit(1)
  })
}

/** Resolves at the first signal, which asks for a stop; a second SIGINT does not wait for it. */
export const awaitStopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    let asked = false
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked && signal === 'SIGINT') process.exit(130)
        asked = true
        resolve()
      })
    }
  })

/** Closes what runs, within `stopMsMax`, and ends the process with `code`, or 1 when it is cut off. */
export const stopAndExit = async (close: () => Promise<void>, log: Logger, code = 0): Promise<never> => {
  setTimeout(() => {
    log.error({ stopMsMax }, 'did not stop in time; what was under way is finished at the next start')
    process.exit(1)
  }, stopMsMax).unref()
  await close()
  process.exit(code)
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The flags of a program whose settings all come from the environment: `--help` or nothing. */
export const parseHelpFlag = (args: string[]): { help: boolean; problem: string | null } => {
  const parsed = parseArgv({ call: '', about: '', commands: { '': { summary: '' } } }, args)
  const problem = parsed.kind === 'wrong' ? parsed.problems.join(', ') : null
  return { help: parsed.kind === 'help', problem }
}
