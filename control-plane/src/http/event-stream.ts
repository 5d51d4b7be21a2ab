import type { Writable } from 'node:stream'
import { limits } from '@probe-mesh/contracts/schema/limits'

/** The stream of one client of server-sent events (WHATWG HTML 9.2). */
export type EventStream = {
  /** Sends or queues one event. A client that lags too far behind gets a last event and is disconnected. */
  push(event: string, data: string): void
  /** Sends a comment or an empty event, so that no proxy closes the connection as idle. */
  beat(): void
  end(): void
  /** The number of queued events. */
  backlog(): number
}

/** How long after the end of the stream a client that reads nothing is disconnected. */
const endMsMax = 5_000

/**
 * @param out the response, after its headers
 * @param beatFrame the text of a beat: a comment, unless the client has to see it
 */
export const createEventStream = (
  out: Writable,
  on: {
    /** The client lagged too far behind and is being disconnected. */
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
