import type { Writable } from 'node:stream'
import { limits } from '@probe-mesh/contracts/schema/limits'

/** One reader of server-sent events (WHATWG HTML 9.2). */
export type EventStream = {
  /** Sends or queues one event; a reader that lags behind too far is told so and let go. */
  push(event: string, data: string): void
  /** A comment, or an event without news, which keeps the connection and every proxy on its way from going idle. */
  beat(): void
  end(): void
  /** Events waiting for the reader. */
  backlog(): number
}

/** A reader that takes nothing at all is cut off this long after its end was written. */
const endMsMax = 5_000

/**
 * @param out the response, its head already written
 * @param beatFrame what a beat is; a comment unless the reader has to see it
 */
export const createEventStream = (
  out: Writable,
  on: {
    /** The reader lagged behind too far and is being let go. */
    lagging(): void
    /** Called once, however the stream ends. */
    closed(): void
  },
  beatFrame = ':\n\n',
): EventStream => {
  const waiting: string[] = []
  let open = true
  let blocked = false

  const write = (frame: string): boolean => {
    blocked = !out.write(frame)
    return !blocked
  }
  const finish = (lastFrame: string): void => {
    if (!open) return
    open = false
    waiting.length = 0
    out.end(lastFrame)
    const cut = setTimeout(() => out.destroy(), endMsMax)
    cut.unref()
    out.once('close', () => clearTimeout(cut))
  }

  out.on('drain', () => {
    blocked = false
    for (let frame = waiting.shift(); frame !== undefined; frame = waiting.shift()) {
      if (!write(frame)) return
    }
  })
  out.on('error', () => out.destroy())
  out.once('close', () => {
    open = false
    waiting.length = 0
    on.closed()
  })

  return {
    push: (event, data) => {
      if (!open) return
      const frame = `event: ${event}\ndata: ${data}\n\n`
      if (!blocked) write(frame)
      else if (waiting.length < limits.eventStreamBacklogMax) waiting.push(frame)
      else {
        on.lagging()
        finish('event: lagging\ndata: {}\n\n')
      }
    },
    beat: () => {
      if (open && !blocked) write(beatFrame)
    },
    end: () => finish(''),
    backlog: () => waiting.length,
  }
}
