import { runCommandLine } from './command-line/create-program.ts'
import { allCommands } from './commands/all-commands.ts'
import { processWorld } from './terminal/process-world.ts'

/** Carries out what this process was called with, and ends the way it should. */
export const runProcess = async (): Promise<void> => {
  const ended = new AbortController()
  let interrupts = 0
  process.on('SIGINT', () => {
    // the first asks the command to end, the next ends it
    if (interrupts++ > 0) process.exit(1)
    ended.abort(new Error('interrupted'))
  })
  // whoever read our output has read enough
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  try {
    const world = processWorld(ended.signal)
    process.exitCode = await runCommandLine(allCommands, world, process.argv.slice(2))
  } catch (error) {
    if (!ended.signal.aborted) throw error
    // the shell is to see how it ended
    process.removeAllListeners('SIGINT')
    process.kill(process.pid, 'SIGINT')
  }
}
