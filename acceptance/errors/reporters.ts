import { randomBytes } from 'node:crypto'
import { setTimeout as elapse } from 'node:timers/promises'
import { isUntold } from './conservation.ts'
import type { Attempt, ItemSent } from './conservation.ts'

/** Where a reporter sends to. */
export type Reported = { id: string; number: string; key: string }

export type Reporters = {
  /** Every request, in the order in which they were answered, or were not. */
  attempts: readonly Attempt[]
  /** Resolves when what is under way is answered. */
  end(): Promise<void>
}

/** Longer than anything takes that is answered at all. */
const answerMsMax = 30_000
/** Delay before the next attempt while no server answers. */
const awayPauseMs = 50
const retriesMax = 3

/**
 * One client for each project, which sends one item after another as fast as it is answered, and notes
 * what it was told. One that was told nothing sends an event again, under its id, as clients may.
 */
export const startReporters = (origin: string, projects: readonly Reported[]): Reporters => {
  const attempts: Attempt[] = []
  const ending = new AbortController()
  const send = async (project: Reported, eventId: string, item: ItemSent): Promise<Attempt> => {
    const status = await post(origin, project, bodyOf(eventId, item))
    const attempt = { projectId: project.id, eventId, item, status }
    attempts.push(attempt)
    return attempt
  }
  const report = async (project: Reported): Promise<void> => {
    for (let n = 0; !ending.signal.aborted; n++) {
      const [eventId, item] = [randomBytes(16).toString('hex'), itemOf(n)]
      let told = await send(project, eventId, item)
      for (let tries = 0; isUntold(told) && tries < retriesMax; tries++) {
        await elapse(awayPauseMs)
        told = await send(project, eventId, item)
      }
      // one that says it twice
      if (n % 20 === 13) await send(project, eventId, item)
    }
  }
  const reporting = projects.map(report)
  return {
    attempts,
    end: async () => {
      ending.abort()
      await Promise.all(reporting)
    },
  }
}

const itemOf = (n: number): ItemSent => {
  if (n % 10 === 0) return 'broken'
  if (n % 10 === 5) return 'session'
  return n % 50 === 27 ? 'large' : 'event'
}

const largeText = 'x'.repeat(1_100_000)

const bodyOf = (eventId: string, item: ItemSent): string => {
  const header = JSON.stringify({ event_id: eventId })
  if (item === 'session') return `${header}\n{"type":"session"}\n{"sid":"${eventId}"}\n`
  const event = {
    event_id: eventId,
    message: `problem ${Number.parseInt(eventId.slice(0, 2), 16) % 5}`,
    release: `shop@${Number.parseInt(eventId.slice(2, 4), 16) % 2}`,
    ...(item === 'large' ? { extra: { text: largeText } } : {}),
  }
  const payload = item === 'broken' ? '{"broken' : JSON.stringify(event)
  return `${header}\n{"type":"event"}\n${payload}\n`
}

/** @returns the status; null where there was no answer */
const post = async (origin: string, project: Reported, body: string): Promise<number | null> => {
  const url = `${origin}/api/${project.number}/envelope/?sentry_key=${project.key}`
  try {
    const signal = AbortSignal.timeout(answerMsMax)
    const response = await fetch(url, { method: 'POST', body, signal })
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}
