import { runCommandLine } from './command-line/create-program.ts'
import { allCommands } from './commands/all-commands.ts'
import { setTimeout as elapse } from 'node:timers/promises'
import type { WriteStream } from 'node:tty'
import { decodeUtf8, type Context, type Output } from './terminal/context.ts'
import { givenColumns, wantsColours } from './terminal/preferences.ts'

/** What Ctrl-C sends, and what CI and service managers send. */
const endSignals = ['SIGINT', 'SIGTERM'] as const

/** Runs the command line of this process, and ends as it should. */
export const runProcess = async (): Promise<void> => {
  const ended = new AbortController()
  let endedBy: NodeJS.Signals | null = null
  for (const signal of endSignals) {
    process.on(signal, () => {
      // the first signal ends the command, the second the process
      if (endedBy !== null) process.exit(1)
      endedBy = signal
      ended.abort(new Error('interrupted'))
    })
  }
  // the reader of our output has closed it
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  try {
    const context = processContext(ended.signal)
    process.exitCode = await runCommandLine(allCommands, context, process.argv.slice(2))
    // a service manager expects the signal that it sent; a report of what was not done has its own exit code
    if (endedBy === 'SIGTERM' && process.exitCode === 0) end(endedBy)
  } catch (error) {
    if (!ended.signal.aborted) throw error
    // lets the shell see which signal ended us
    end(endedBy ?? 'SIGINT')
  }
}

/** Ends this process by a signal, as if it had not been handled. */
const end = (signal: NodeJS.Signals): void => {
  for (const each of endSignals) process.removeAllListeners(each)
  process.kill(process.pid, signal)
}

const columnsOffTerminal = 80

/** The context of this process. @param signal aborted when the user interrupts */
const processContext = (signal: AbortSignal): Context => ({
  environment: process.env,
  out: outputTo(process.stdout),
  err: outputTo(process.stderr),
  readInput: async (bytesMax) => {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of process.stdin) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > bytesMax) throw new Error(`has more than ${bytesMax} bytes`)
    }
    return decodeUtf8(Buffer.concat(chunks))
  },
  fetch: fetchOnDemand(process.env),
  now: Date.now,
  pause: (ms) => elapse(ms, undefined, { signal }),
  signal,
})

/** Help and completion send nothing, so proxies and certificates are loaded with the first request. */
const fetchOnDemand = (environment: Context['environment']): typeof fetch => {
  let loading: Promise<typeof fetch> | null = null
  return async (input, init) => {
    loading ??= import('./surrounded-fetch.ts').then(({ surroundedFetch }) => surroundedFetch(environment))
    return (await loading)(input, init)
  }
}

const outputTo = (stream: WriteStream): Output => ({
  write: (text) => void stream.write(text),
  isTerminal: stream.isTTY,
  hasColours: wantsColours(process.env) ?? (stream.isTTY && stream.hasColors()),
  get columns() {
    return givenColumns(process.env) ?? (stream.isTTY ? stream.columns : columnsOffTerminal)
  },
})
