// Sends error events over some connections, from a process of its own.
import { answerParent } from '../harness/child.ts'
import { sendLoad } from '../harness/send-load.ts'
import { packEvents } from './bench-events.ts'

export type EventsQuestion = {
  port: number
  /** Of the envelopes, in turn. */
  paths: readonly string[]
  connections: number
  seconds: number
}

const nextEvent = packEvents(process.pid)
const headers = { 'content-type': 'application/x-sentry-envelope', 'content-encoding': 'gzip' }

answerParent<EventsQuestion>(({ paths, ...load }) => {
  let sent = 0
  return sendLoad(load, () => {
    const path = paths[sent++ % paths.length] ?? '/'
    return { path, headers, body: nextEvent() }
  })
})
