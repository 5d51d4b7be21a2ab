import { setTimeout as elapse } from 'node:timers/promises'
import type { WriteStream } from 'node:tty'
import { decodeUtf8 } from './context.ts'
import type { Context, Output } from './context.ts'

const columnsOffTerminal = 80

/** The context of this process. @param signal aborted when the user interrupts */
export const processContext = (signal: AbortSignal): Context => ({
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
  fetch,
  now: Date.now,
  pause: (ms) => elapse(ms, undefined, { signal }),
  signal,
})

/** `NO_COLOR` counts if it is not empty (no-color.org); Node handles the other conventions. */
const outputTo = (stream: WriteStream): Output => ({
  write: (text) => void stream.write(text),
  isTerminal: stream.isTTY,
  hasColours: stream.isTTY && !process.env['NO_COLOR'] && stream.hasColors(),
  get columns() {
    return stream.isTTY ? stream.columns : columnsOffTerminal
  },
})
