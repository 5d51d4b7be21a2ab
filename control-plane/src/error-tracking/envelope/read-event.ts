import type { RawEvent } from '../raw-event.ts'

export type EventProblem = { problem: string }

export type EventArrival = {
  /** Unix milliseconds. */
  receivedAt: number
  /** The envelope's, which goes before the event's own; 32 lower-case hexadecimal digits. */
  eventId?: string
}

/** Reads the payload of an item `event`, or the body of `/store/`, parsed as JSON. Never throws. */
export const readEvent = (_payload: unknown, _arrival: EventArrival): RawEvent | EventProblem => ({
  problem: 'not built yet',
})
