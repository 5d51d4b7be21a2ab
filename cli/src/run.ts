import { runCommandLine } from './command-line/create-program.ts'
import { allCommands } from './commands/all-commands.ts'
import { processContext } from './terminal/process-context.ts'

/** Runs the command line of this process, and ends as it should. */
export const runProcess = async (): Promise<void> => {
  const ended = new AbortController()
  let interrupts = 0
  process.on('SIGINT', () => {
    // the first interrupt ends the command, the second the process
    if (interrupts++ > 0) process.exit(1)
    ended.abort(new Error('interrupted'))
  })
  // the reader of our output has closed it
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  try {
    const context = processContext(ended.signal)
    process.exitCode = await runCommandLine(allCommands, context, process.argv.slice(2))
  } catch (error) {
    if (!ended.signal.aborted) throw error
    // lets the shell see that an interrupt ended us
    process.removeAllListeners('SIGINT')
    process.kill(process.pid, 'SIGINT')
  }
}
